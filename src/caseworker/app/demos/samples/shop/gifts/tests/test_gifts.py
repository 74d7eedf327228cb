import unittest

from shop.cart import GIFT_WRAP, Cart


class GiftsTest(unittest.TestCase):
    def test_what_is_not_wrapped_is_not_charged_for_it(self):
        cart = Cart()
        cart.add("mug", 1200)
        self.assertEqual(cart.wrapping(), 0)

    def test_every_wrapped_piece_is_charged(self):
        cart = Cart()
        cart.add("mug", 1200, quantity=2, wrapped=True)
        self.assertEqual(cart.wrapping(), 2 * GIFT_WRAP)


if __name__ == "__main__":
    unittest.main()
