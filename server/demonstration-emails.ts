/** Who is in the demonstration. Their password is published: a production server does not start where one of them is. */
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
