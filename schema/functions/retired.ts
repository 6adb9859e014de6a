/**
 * Functions, views and triggers that no file of this folder makes any more, or functions with other parameters now.
 * `npm run migrate` drops nothing else. It keeps an entry while package.json has the version `retiredIn`: servers of the
 * version before may still call it. It drops the object in the next version; then delete the entry.
 */
export type Retired = {
  /** As PostgreSQL spells it: `function open_turn(integer,text)`, `view titles`, `trigger number_book on books`. */
  object: string;
  /** The version of package.json that no longer has it, or "never released", which is dropped immediately. */
  retiredIn: string;
  /** For a function with a new name: the text of the former one, which calls the new one. */
  text?: string;
};

export const retired: readonly Retired[] = [];
