"""The REST face: one small file per subject, each with its routes and the handlers behind them."""
