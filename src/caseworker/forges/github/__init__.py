"""GitHub as a forge: github.com and Enterprise Servers, as a GitHub App or with a token. Nothing here merges."""
