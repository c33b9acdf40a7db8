"""What isn't about cards or events: settings, requests, errors, jobs, the audit log, backups.

May import no app; names one only as a string. Start reading at `settings`, then `errors` and `jobs`.
"""
