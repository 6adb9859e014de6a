import { describe, expect, it } from "vitest";
import { type Config, loadConfig } from "../../../../lib/config.ts";
import {
  unsubscribeToken,
  verifyUnsubscribeToken,
} from "../../../../lib/courses/notifications/unsubscribing.ts";
import { decryptOidcLogin, encryptOidcLogin } from "../../../../lib/identity/auth/pending-oidc-login.ts";
import { createTokenService } from "../../../../lib/platform/secrets/tokens.ts";

const [old, current] = [1, 2].map((n) => `secret key number ${n} of the test, long enough`) as [
  string,
  string,
];
const now = () => new Date("2026-03-10T12:00:00Z");

const configOf = (SECRET_KEY: string, SECRET_KEY_PREVIOUS = ""): Config =>
  loadConfig({
    DATABASE_URL: "postgresql://localhost/learning",
    LLM_PROVIDER: "cloud_managed",
    SECRET_KEY,
    SECRET_KEY_PREVIOUS,
  });

describe("while SECRET_KEY is rotated", () => {
  const during = configOf(current, old);

  it("tokens of the previous key are valid, and new ones use the current key", async () => {
    const [before, at, after] = [configOf(old), during, configOf(current)].map((config) =>
      createTokenService(config, now),
    );
    const issued = await before?.issue({ id: 7 });
    const renewed = await at?.issue({ id: 7 });
    expect(await at?.verify(String(issued?.access_token), "access")).toMatchObject({ id: 7 });
    expect(await at?.verify(String(issued?.refresh_token), "refresh")).toMatchObject({ id: 7 });
    expect(await after?.verify(String(issued?.access_token), "access")).toBeUndefined();
    expect(await after?.verify(String(renewed?.access_token), "access")).toMatchObject({ id: 7 });
    expect(await before?.verify(String(renewed?.access_token), "access")).toBeUndefined();
  });

  it("a running sign-in at an identity provider completes", async () => {
    const attempt = { provider: "campus", state: "s", nonce: "n", verifier: "v", redirect_to: "/" };
    const sealed = await encryptOidcLogin({ config: configOf(old), now }, attempt);
    expect(await decryptOidcLogin({ config: during, now }, sealed)).toMatchObject(attempt);
    expect(await decryptOidcLogin({ config: configOf(current), now }, sealed)).toBeUndefined();
  });

  it("mail that was sent before can be ended by its own link", () => {
    const link = unsubscribeToken(configOf(old), 7);
    expect([during, configOf(current)].map((config) => verifyUnsubscribeToken(config, link))).toEqual([
      7,
      undefined,
    ]);
    expect(verifyUnsubscribeToken(configOf(old), unsubscribeToken(during, 7))).toBeUndefined();
  });

  it("the key before this one is as long, and another", () => {
    expect(() => configOf(current, "short")).toThrow("SECRET_KEY_PREVIOUS: must have 32");
    expect(() => configOf(current, current)).toThrow("SECRET_KEY_PREVIOUS: must differ from SECRET_KEY");
  });
});
