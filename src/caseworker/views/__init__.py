"""Read models: what terminal, dashboard and export show of cases, as data and without formatting."""
