/** The demonstration's accounts. Their password is public, so a production server refuses to start if one exists. */
export const demonstrationEmails = [
  "priya@northgate.example",
  "edwin@northgate.example",
  "helena@northgate.example",
  "kofi@northgate.example",
  "mina@northgate.example",
  "noor@northgate.example",
  "lucia@estrecho.example",
] as const;

export type DemonstrationEmail = (typeof demonstrationEmails)[number];
