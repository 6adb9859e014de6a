import type { MailKind } from "../../../schema/enums.ts";

export type MailMessage = {
  to: string;
  subject: string;
  text: string;
  headers?: Readonly<Record<string, string>>;
};

export type DueMail = {
  id: number;
  kind: MailKind;
  address: string;
  user_id: number | null;
  /** BCP 47: the recipient's account's, otherwise the sender's. */
  locale: string;
  /** IANA: the recipient's account's, otherwise UTC. */
  time_zone: string;
};

/** Undefined drops an obsolete mail. */
export type ComposeMail = (mail: DueMail) => Promise<MailMessage | undefined>;

/** `send` rejects on failure and returns the local file, if there is one. */
export type MailTransport = { send(message: MailMessage): Promise<string | undefined>; close(): void };

/** Names are user input, so line breaks are replaced. */
export const inOneLine = (words: string): string => words.replace(/\s+/g, " ");

const maxMailNameCharacters = 80;

/** One line of at most 80 characters, without anything that mail programs turn into a link. */
export const linkFreeName = (name: string): string =>
  [...name.replace(/[^\p{L}\p{M}\p{N}'’&(),-]+/gu, " ").trim()].slice(0, maxMailNameCharacters).join("");
