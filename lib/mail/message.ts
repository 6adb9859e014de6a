import type { MailKind } from "../../schema/enums.ts";

/** A mail in words. */
export type MailMessage = {
  to: string;
  subject: string;
  text: string;
  /** Further headers, such as `List-Unsubscribe`. */
  headers?: Readonly<Record<string, string>>;
};

/** Mail that is due, before it is put into words. */
export type DueMail = {
  id: number;
  kind: MailKind;
  address: string;
  user_id: number | null;
  /** The language of whoever reads it, a BCP 47 tag: their account's, else that of whoever caused it. */
  locale: string;
};

/** Puts it into words; undefined when there is nothing to say any more, and it is dropped. */
export type ComposeMail = (mail: DueMail) => Promise<MailMessage | undefined>;

/** How mail leaves; `send` rejects when it did not, and answers where to find it, if that is on this machine. */
export type MailTransport = { send(message: MailMessage): Promise<string | undefined>; close(): void };

/** Words in one line, whatever people have written into them: a name is no paragraph. */
export const inOneLine = (words: string): string => words.replace(/\s+/g, " ");

const longestName = 80;

/** A name in one line of 80 characters at most, in which no mail program finds an address to lead to. */
export const plainName = (name: string): string =>
  [...name.replace(/[^\p{L}\p{M}\p{N}'’&(),-]+/gu, " ").trim()].slice(0, longestName).join("");
