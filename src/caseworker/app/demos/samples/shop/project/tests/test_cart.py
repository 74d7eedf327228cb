import unittest

from shop.cart import Cart


class CartTest(unittest.TestCase):
    def test_an_empty_cart_costs_nothing(self):
        self.assertEqual(Cart().total(), 0)

    def test_a_small_order_pays_for_shipping(self):
        cart = Cart()
        cart.add("mug", 1200)
        self.assertEqual(cart.total(), 1690)

    def test_a_large_order_ships_free(self):
        cart = Cart()
        cart.add("lamp", 2600, quantity=2)
        self.assertEqual(cart.total(), 5200)


if __name__ == "__main__":
    unittest.main()
