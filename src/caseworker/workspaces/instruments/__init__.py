"""The instruments of an investigation, run in the sandbox: stress, profile and trace."""
