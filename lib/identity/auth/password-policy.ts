import type { Config } from "../../config.ts";
import { forbidden, invalidField } from "../../errors.ts";
import { productName } from "../../platform/product.ts";
import { findPasswordWeakness } from "./guessable-passwords.ts";

export function ensurePasswordSignInEnabled({ PASSWORD_SIGN_IN }: Pick<Config, "PASSWORD_SIGN_IN">): void {
  if (!PASSWORD_SIGN_IN) throw forbidden("passwords_switched_off");
}

export type PasswordPolicy = Pick<
  Config,
  "PASSWORD_SIGN_IN" | "PASSWORD_MIN_LENGTH" | "PASSWORD_REJECT_COMMON"
>;

/** 403 if password sign-in is off, and 422 at `field` if the new password is too short. */
export function ensureNewPasswordAllowedAndLong(
  policy: PasswordPolicy,
  password: string,
  field = "password",
): void {
  ensurePasswordSignInEnabled(policy);
  const least = policy.PASSWORD_MIN_LENGTH;
  if ([...password].length < least)
    throw invalidField([field], `String should have at least ${least} characters`, "string_too_short", {
      min_length: least,
    });
}

/**
 * 422 at `field` if the new password is common, or contains little more than `words`: the person's name,
 * address and universities. PASSWORD_REJECT_COMMON is off by default.
 */
export async function ensureUnguessablePassword(
  policy: Pick<PasswordPolicy, "PASSWORD_REJECT_COMMON">,
  password: string,
  words: readonly string[],
  field = "password",
): Promise<void> {
  if (!policy.PASSWORD_REJECT_COMMON) return;
  const { commonPasswords } = await import("./common-passwords.ts");
  const weakness = findPasswordWeakness(password, [...serviceWords, ...words], commonPasswords);
  if (weakness === "common") throw invalidField([field], "Password should not be a common one");
  if (weakness === "own words")
    throw invalidField(
      [field],
      "Password should contain more than names, addresses or words of this service",
    );
}

/** Documented in docs/security.md. */
const serviceWords = [
  ...[productName, "learning", "platform", "course", "university", "campus", "student", "teacher"],
  ...["instructor", "administrator", "admin"],
];
