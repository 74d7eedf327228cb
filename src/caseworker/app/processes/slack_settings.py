"""Says which settings Slack needs and does not have."""

from caseworker.app.settings import Settings


def missing_settings(settings: Settings) -> list[str]:
    """The names of settings that `serve` needs and that are not set."""
    missing = []
    if settings.slack_bot_token is None:
        missing.append("slack_bot_token (the bot's own, `xoxb-...`)")
    if settings.slack_app_token is None and settings.slack_signing_secret is None:
        missing.append("slack_app_token (`xapp-...`, for Socket Mode) or slack_signing_secret (for HTTP)")
    if not settings.slack_reports_channel:
        missing.append("slack_reports_channel (the id of the channel where bugs are reported)")
    if settings.reports_repository is None:
        missing.append("reports_repository (where the code is that reports are about)")
    if settings.anthropic_api_key is None and settings.reports_rehearsal is None:
        missing.append("anthropic_api_key, or reports_rehearsal to try it out without a model")
    return missing
