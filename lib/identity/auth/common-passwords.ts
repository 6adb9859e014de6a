import { dictionary } from "@zxcvbn-ts/language-common";

/** Imported when a password is set: half a megabyte. Packaged functions contain only these (esbuild-plugins.mjs). */
export const commonPasswordCount = 20_000;

/** Lower-case passwords, most common first, from published breaches. */
export const commonPasswords: ReadonlySet<string> = new Set(
  dictionary["passwords-common"].slice(0, commonPasswordCount),
);
