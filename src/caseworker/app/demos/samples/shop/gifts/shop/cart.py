"""What an order costs. Amounts are whole cents."""

from dataclasses import dataclass, field

SHIPPING = 490
FREE_SHIPPING_FROM = 5000
GIFT_WRAP = 250


@dataclass
class Line:
    name: str
    price: int
    quantity: int = 1
    wrapped: bool = False


@dataclass
class Cart:
    lines: list[Line] = field(default_factory=list)

    def add(self, name: str, price: int, quantity: int = 1, wrapped: bool = False) -> None:
        if price < 0 or quantity < 1:
            raise ValueError("a line needs a price and at least one piece")
        self.lines.append(Line(name, price, quantity, wrapped))

    def goods(self) -> int:
        return sum(line.price * line.quantity for line in self.lines)

    def wrapping(self) -> int:
        return sum(GIFT_WRAP for line in self.lines if line.wrapped)

    def shipping(self) -> int:
        if not self.lines:
            return 0
        return 0 if self.goods() > FREE_SHIPPING_FROM else SHIPPING

    def total(self) -> int:
        return self.goods() + self.wrapping() + self.shipping()
