import type { Config } from "../../config.ts";
import { forbidden, invalidField } from "../../errors.ts";

export function ensurePasswordSignInEnabled({ PASSWORD_SIGN_IN }: Pick<Config, "PASSWORD_SIGN_IN">): void {
  if (!PASSWORD_SIGN_IN) throw forbidden("passwords_switched_off");
}

type Policy = Pick<Config, "PASSWORD_SIGN_IN" | "PASSWORD_MIN_LENGTH">;

/** 403 if password sign-in is off, 422 at `field` if the password is too short. */
export function ensureNewPassword(policy: Policy, password: string, field = "password"): void {
  ensurePasswordSignInEnabled(policy);
  const least = policy.PASSWORD_MIN_LENGTH;
  if ([...password].length < least)
    throw invalidField([field], `String should have at least ${least} characters`, "string_too_short", {
      min_length: least,
    });
}
