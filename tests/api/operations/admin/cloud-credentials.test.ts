import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databaseStore } from "../../../../lib/identity/credentials/database-store.ts";
import { createExpiringCloudKeyResolver } from "../../../../lib/identity/credentials/resolve.ts";
import { chooseProvider } from "../../../../lib/platform/llm/choose-llm-provider.ts";
import type { EncryptionSecrets } from "../../../../lib/platform/secrets/encryption.ts";
import { storedCredentials } from "../../../../schema/db/identity/credentials.ts";
import { type CloudStandIn, startCloudStandIn } from "../../../support/cloud-stand-in.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { type SecretsManagerStandIn, startSecretsManagerStandIn } from "./secrets-manager-stand-in.ts";

let cloud: CloudStandIn;
let vault: SecretsManagerStandIn;

beforeAll(async () => {
  [cloud, vault] = await Promise.all([startCloudStandIn(), startSecretsManagerStandIn()]);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SECRETS_MANAGER: vault.url,
    AWS_ACCESS_KEY_ID: "ROLEOFTHEFUNCTION",
    AWS_SECRET_ACCESS_KEY: "secret-of-the-role",
  });
});
afterAll(() => Promise.all([cloud.close(), vault.close()]));

const secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
const sessionToken = "session-token-of-the-test";
const keys = { cloud_access_key_id: "AKIASTOREDKEY1234", cloud_secret_access_key: secret };

const usual = () => ({ LLM_PROVIDER: "cloud_managed", CLOUD_ENDPOINT_URL: cloud.url });
const environment = {
  CLOUD_ACCESS_KEY_ID: "ENVIRONMENTKEY9876",
  CLOUD_SECRET_ACCESS_KEY: "secret-of-the-environment",
};

describe.each(["database", "secrets_manager"])("cloud credentials in the store %s", (CREDENTIAL_STORE) => {
  const world = openWorld(() => ({ ...usual(), ...environment, CREDENTIAL_STORE }));
  const make = makersOf(world);

  beforeEach(async () => {
    await world.deps.credentials.remove(null);
    cloud.calls.length = 0;
  });

  /** The administrator of a university without credentials. */
  async function administrator() {
    const { id: university_id } = await make.university();
    const person = await make.holder("university_admin", university_id);
    return { ...world.as(person), id: person.id, university_id };
  }

  async function platformAdministrator() {
    const { id } = await make.university();
    return world.as(await make.holder("platform_admin", id));
  }

  /** The key that answers a learner of that university. */
  async function keyOfAnswerIn(university_id: number): Promise<string | undefined> {
    const module = await make.module((await make.course(university_id)).id);
    const item = await make.contentItem(module, university_id);
    const learner = world.as(await make.person());
    const session = await learner.post("/chat/sessions", { content_item_id: item.id });
    const answer = await learner.post(`/chat/sessions/${session.body.id}/messages`, { content: "Start." });
    expect(answer.text).toContain("Hello");
    return cloud.calls.at(-1)?.accessKeyId;
  }

  it("have a status with the last four characters, the person and the time", async () => {
    const admin = await administrator();
    const status = {
      configured: true,
      source: "stored",
      university_id: admin.university_id,
      access_key_id_last4: "1234",
      updated_at: world.deps.now().toISOString(),
      updated_by: admin.id,
    };
    const stored = await admin.post("/admin/cloud-credentials", keys);
    expect([stored.status, stored.body]).toEqual([200, status]);
    expect((await admin.get("/admin/cloud-credentials/status")).body).toEqual(status);
  });

  it("are replaced as a whole, so no session token outlives its keys", async () => {
    const admin = await administrator();
    await admin.post("/admin/cloud-credentials", { ...keys, cloud_session_token: sessionToken });
    const stored = () => world.deps.credentials.read(admin.university_id);
    expect(await stored()).toMatchObject({ sessionToken });
    await admin.post("/admin/cloud-credentials", { ...keys, cloud_access_key_id: "AKIASECOND5678" });
    expect(await stored()).toEqual({
      accessKeyId: "AKIASECOND5678",
      secretAccessKey: secret,
    });
  });

  it("of the platform override the environment's, which are used again after their removal", async () => {
    const admin = await platformAdministrator();
    const test = async () => (await admin.post("/admin/cloud-credentials/test")).body.success;
    await admin.post("/admin/cloud-credentials", { ...keys, cloud_session_token: sessionToken });
    expect(await test()).toBe(true);
    expect(cloud.calls.at(-1)).toEqual({ accessKeyId: keys.cloud_access_key_id, sessionToken });

    expect((await admin.delete("/admin/cloud-credentials")).status).toBe(204);
    expect(await test()).toBe(true);
    expect(cloud.calls.at(-1)?.accessKeyId).toBe(environment.CLOUD_ACCESS_KEY_ID);
    expect((await admin.get("/admin/cloud-credentials/status")).body).toEqual({
      configured: true,
      source: "environment",
      university_id: null,
      access_key_id_last4: "9876",
      updated_at: null,
      updated_by: null,
    });
    expect((await admin.delete("/admin/cloud-credentials")).body.detail).toBe("Cloud credentials not found");
  });

  it("are tested with a real call, whose failure is a result with codes", async () => {
    const admin = await administrator();
    await admin.post("/admin/cloud-credentials", { ...keys, cloud_access_key_id: "REVOKED1" });
    const failed = await admin.post("/admin/cloud-credentials/test");
    expect(failed.status).toBe(200);
    expect(failed.body).toMatchObject({ success: false, provider: "cloud_managed" });
    expect(failed.body.error).toMatch(/^cloud_managed: HTTP 403, UnrecognizedClientException/);
  });

  it("are used by a provider that has connected before, without a restart", async () => {
    const admin = await administrator();
    const fresh = createExpiringCloudKeyResolver(world.deps.config, world.deps.credentials, 0);
    const provider = chooseProvider(world.deps.config, fresh);
    const call = async (university_id?: number) => {
      const messages = [{ role: "user" as const, content: "Start." }];
      const whose = university_id === undefined ? {} : { university_id };
      for await (const _ of provider.stream({ model: "model", ...whose, system: "", messages }));
      return cloud.calls.at(-1)?.accessKeyId;
    };
    const environments = environment.CLOUD_ACCESS_KEY_ID;
    expect(await call(admin.university_id)).toBe(environments);
    await admin.post("/admin/cloud-credentials", keys);
    expect(await call(admin.university_id)).toBe(keys.cloud_access_key_id);
    expect([await call(), await call((await make.university()).id)]).toEqual([environments, environments]);
  });

  it("are refreshed by the client within a minute", async () => {
    const { expiration } = await createExpiringCloudKeyResolver(
      world.deps.config,
      world.deps.credentials,
    )(null);
    const keptMs = (expiration?.getTime() ?? 0) - Date.now() - 5 * 60_000;
    expect(keptMs).toBeGreaterThan(0);
    expect(keptMs).toBeLessThan(60_000);
  });

  it("answer the learners of the university that stored them, and of no other", async () => {
    const [admin, other] = [await administrator(), await administrator()];
    await admin.post("/admin/cloud-credentials", keys);
    await other.post("/admin/cloud-credentials", { ...keys, cloud_access_key_id: "AKIAOTHER5678" });
    expect(await keyOfAnswerIn(admin.university_id)).toBe(keys.cloud_access_key_id);
    expect(await keyOfAnswerIn(other.university_id)).toBe("AKIAOTHER5678");
    expect(await keyOfAnswerIn((await make.university()).id)).toBe(environment.CLOUD_ACCESS_KEY_ID);
  });

  it("of the platform answer the learners of a university that stored none", async () => {
    await (await platformAdministrator()).post("/admin/cloud-credentials", keys);
    const [storing, without] = [await administrator(), await administrator()];
    await storing.post("/admin/cloud-credentials", { ...keys, cloud_access_key_id: "AKIAOWN5678" });
    expect(await keyOfAnswerIn(without.university_id)).toBe(keys.cloud_access_key_id);
    expect(await keyOfAnswerIn(storing.university_id)).toBe("AKIAOWN5678");
    await storing.delete("/admin/cloud-credentials");
    expect((await storing.post("/admin/cloud-credentials/test")).body.success).toBe(true);
    expect(cloud.calls.at(-1)?.accessKeyId).toBe(keys.cloud_access_key_id);
  });

  it("of the platform show a university only that they are used", async () => {
    const used = { configured: true, university_id: null, access_key_id_last4: null };
    const university = await administrator();
    const status = async () => (await university.get("/admin/cloud-credentials/status")).body;
    expect(await status()).toMatchObject({ ...used, source: "environment" });
    await (await platformAdministrator()).post("/admin/cloud-credentials", keys);
    expect(await status()).toEqual({ ...used, source: "stored", updated_at: null, updated_by: null });
    expect((await university.delete("/admin/cloud-credentials")).status).toBe(404);
    expect(await world.deps.credentials.read(null)).toBeDefined();
  });

  it("of a university are not for another's administrators, and the platform's for no university's", async () => {
    const [admin, other] = [await administrator(), await administrator()];
    await admin.post("/admin/cloud-credentials", keys);
    const at = (part = "") => `/admin/cloud-credentials${part}?university_id=${admin.university_id}`;
    const replies = [
      await other.get(at("/status")),
      await other.post(at(), { ...keys, cloud_access_key_id: "AKIATAKEN5678" }),
      await other.post(at("/test")),
      await other.delete(at()),
    ];
    expect(replies.map(({ status, body }) => [status, body.detail])).toEqual(
      replies.map(() => [403, "Not enough permissions"]),
    );
    await other.post("/admin/cloud-credentials", { ...keys, cloud_access_key_id: "AKIAOTHER5678" });
    expect((await world.deps.credentials.read(admin.university_id))?.accessKeyId).toBe(
      keys.cloud_access_key_id,
    );
    expect(await world.deps.credentials.read(null)).toBeUndefined();
  });

  it("are the platform's for a platform_admin who names no university, else that university's", async () => {
    const [platform, admin] = [await platformAdministrator(), await administrator()];
    const ofUniversity = `/admin/cloud-credentials?university_id=${admin.university_id}`;
    expect((await platform.post("/admin/cloud-credentials", keys)).body.university_id).toBeNull();
    const stored = await platform.post(ofUniversity, { ...keys, cloud_access_key_id: "AKIAGIVEN5678" });
    expect(stored.body.university_id).toBe(admin.university_id);
    expect((await admin.get("/admin/cloud-credentials/status")).body.access_key_id_last4).toBe("5678");
    expect((await platform.get("/admin/cloud-credentials/status")).body.access_key_id_last4).toBe("1234");
    expect((await platform.delete(ofUniversity)).status).toBe(204);
    expect((await platform.get("/admin/cloud-credentials/status")).body.source).toBe("stored");
  });

  it("need a named university from an administrator of several", async () => {
    const [one, two] = [await make.university(), await make.university()];
    const person = await make.holder("university_admin", one.id);
    const grant = { user_id: person.id, role: "UNIVERSITY_ADMIN" };
    await (await platformAdministrator()).post(`/universities/${two.id}/roles`, grant);
    const admin = world.as(person);
    const unnamed = await admin.post("/admin/cloud-credentials", keys);
    expect([unnamed.status, unnamed.body.detail]).toEqual([
      400,
      `university_id is required: you administer ${one.id}, ${two.id}`,
    ]);
    const named = await admin.post(`/admin/cloud-credentials?university_id=${two.id}`, keys);
    expect(named.body.university_id).toBe(two.id);
  });

  it("are of a university that there is: else 404, and nothing is stored", async () => {
    const nothing = 2_000_000_000;
    const at = (part = "") => `/admin/cloud-credentials${part}?university_id=${nothing}`;
    for (const admin of [await platformAdministrator(), await administrator()]) {
      const replies = [
        await admin.get(at("/status")),
        await admin.post(at(), keys),
        await admin.post(at("/test")),
        await admin.delete(at()),
      ];
      expect(replies.map(({ status, body }) => [status, body.detail])).toEqual(
        replies.map(() => [404, "University not found"]),
      );
    }
    expect(await world.deps.credentials.read(nothing)).toBeUndefined();
  });

  it("never show the secret in an answer or the log", async () => {
    const admin = await administrator();
    const sent = { ...keys, cloud_session_token: sessionToken };
    const replies = [
      await admin.post("/admin/cloud-credentials", sent),
      await admin.post("/admin/cloud-credentials", { ...sent, cloud_access_key_id: "" }),
      await admin.post("/admin/cloud-credentials", {
        ...sent,
        cloud_session_token: `${sessionToken} x y`,
      }),
      await admin.post("/admin/cloud-credentials", `${JSON.stringify(sent)},`),
      await admin.get("/admin/cloud-credentials/status"),
      await admin.post("/admin/cloud-credentials/test"),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 422, 422, 422, 200, 200]);
    const said = replies.map(({ text }) => text).join() + JSON.stringify(world.log);
    for (const hidden of [secret, sessionToken]) expect(said).not.toContain(hidden);
  });

  it.each([
    ["university_admin", 200],
    ["department_admin", 403],
    ["instructor", 403],
  ] as const)("are for administrators of universities: %s", async (role, status) => {
    const { id } = await make.university();
    const person = world.as(await make.holder(role, id));
    expect((await person.get("/admin/cloud-credentials/status")).status).toBe(status);
    expect((await person.post("/admin/cloud-credentials", keys)).status).toBe(status);
    expect((await person.post("/admin/cloud-credentials/test")).status).toBe(status);
    expect((await person.delete("/admin/cloud-credentials")).status).toBe(status === 200 ? 204 : status);
  });

  it("are for no administrator of a department alone", async () => {
    const { id } = await make.university();
    const department = await make.department(id);
    const person = world.as(await make.holder("university_admin", id, department.id));
    for (const query of ["", `?university_id=${id}`])
      expect((await person.post(`/admin/cloud-credentials${query}`, keys)).status, query).toBe(403);
  });

  it("need a signed-in user", async () => {
    expect((await world.as().get("/admin/cloud-credentials/status")).status).toBe(401);
  });

  it("keep one of two concurrent writes", async () => {
    const admin = await administrator();
    const ids = ["AKIAFIRST", "AKIASECOND"];
    const answers = await Promise.all(
      ids.map((id) => admin.post("/admin/cloud-credentials", { ...keys, cloud_access_key_id: id })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(ids).toContain((await world.deps.credentials.read(admin.university_id))?.accessKeyId);
  });
});

describe("the stored value", () => {
  const world = openWorld(usual);
  const make = makersOf(world);
  const author = async () => ({ id: (await make.person()).id, now: world.deps.now() });
  const stored = { accessKeyId: "AKIASTOREDKEY1234", secretAccessKey: secret };

  it("is encrypted differently each time", async () => {
    const ciphertext = async () => {
      await world.deps.credentials.write(null, stored, await author());
      const [row] = await world.deps.db.select().from(storedCredentials);
      return row?.ciphertext ?? "";
    };
    const [first, second] = [await ciphertext(), await ciphertext()];
    expect(first).not.toBe(second);
    for (const text of [first, second])
      expect(Buffer.from(text.slice(3), "base64url").toString("latin1")).not.toContain(secret);
  });

  it("that was altered is not used, and neither is the environment: the test says so", async () => {
    await world.deps.credentials.write(null, stored, await author());
    const [row] = await world.deps.db.select().from(storedCredentials);
    const altered = `${row?.ciphertext.slice(0, -2)}${row?.ciphertext.endsWith("AA") ? "BB" : "AA"}`;
    await world.deps.db.update(storedCredentials).set({ ciphertext: altered });
    const { id } = await make.university();
    const admin = world.as(await make.holder("platform_admin", id));
    const test = await admin.post("/admin/cloud-credentials/test");
    expect(test.body).toMatchObject({ success: false, error: "the stored cloud credentials cannot be read" });
    expect((await admin.get("/admin/cloud-credentials/status")).body.source).toBe("stored");
  });

  it("under the previous key is readable while both are known, and then re-encrypted", async () => {
    const [old, current] = [1, 2].map((n) => `secret key number ${n} of the test, long enough`) as [
      string,
      string,
    ];
    const storeOf = (secrets: EncryptionSecrets) => databaseStore(world.deps.db, secrets);
    await storeOf({ SECRET_KEY: old }).write(null, stored, await author());
    await expect(storeOf({ SECRET_KEY: current }).read(null)).rejects.toThrow("cannot be read");
    const both = storeOf({ SECRET_KEY: current, SECRET_KEY_PREVIOUS: old });
    expect(await both.read(null)).toEqual(stored);
    expect(await storeOf({ SECRET_KEY: current }).read(null)).toEqual(stored);
    await expect(storeOf({ SECRET_KEY: old }).read(null)).rejects.toThrow("cannot be read");
  });

  it("of one university cannot be read in the place of another's", async () => {
    const [one, two] = [await make.university(), await make.university()];
    for (const { id } of [one, two]) await world.deps.credentials.write(id, stored, await author());
    const [row] = await world.deps.db
      .select()
      .from(storedCredentials)
      .where(eq(storedCredentials.university_id, one.id));
    await world.deps.db
      .update(storedCredentials)
      .set({ ciphertext: row?.ciphertext ?? "" })
      .where(eq(storedCredentials.university_id, two.id));
    expect(await world.deps.credentials.read(one.id)).toEqual(stored);
    await expect(world.deps.credentials.read(two.id)).rejects.toThrow("cannot be read");
  });

  it("is deleted with the university", async () => {
    const { id } = await make.university();
    await world.deps.credentials.write(id, stored, await author());
    const { id: home } = await make.university();
    const admin = world.as(await make.holder("platform_admin", home));
    expect((await admin.delete(`/universities/${id}`)).status).toBe(204);
    expect(await world.deps.credentials.read(id)).toBeUndefined();
  });
});

describe("without stored keys and without any in the environment", () => {
  const world = openWorld(usual);
  const make = makersOf(world);

  it("the platform's own chain is used", async () => {
    const { id } = await make.university();
    const admin = world.as(await make.holder("platform_admin", id));
    expect((await admin.get("/admin/cloud-credentials/status")).body).toMatchObject({
      configured: false,
      source: "default_chain",
      access_key_id_last4: null,
    });
    expect((await admin.post("/admin/cloud-credentials/test")).body.success).toBe(true);
    expect(cloud.calls.at(-1)?.accessKeyId).toBe("ROLEOFTHEFUNCTION");
  });
});

describe("AWS Secrets Manager", () => {
  const world = openWorld(() => ({ ...usual(), CREDENTIAL_STORE: "secrets_manager" }));
  const make = makersOf(world);

  it("that denies access is a 503, and its message is not passed on", async () => {
    const { id } = await make.university();
    const admin = world.as(await make.holder("university_admin", id));
    vault.failWith("AccessDeniedException");
    const answer = await admin.post("/admin/cloud-credentials", keys);
    vault.failWith("InternalServiceError");
    const test = await admin.post("/admin/cloud-credentials/test");
    vault.failWith();
    expect([answer.status, answer.body.detail]).toEqual([503, "The credential store cannot be reached"]);
    expect(test.body).toMatchObject({ success: false, error: "The credential store cannot be reached" });
    expect(JSON.stringify(world.log)).toContain("AccessDeniedException");
    expect(JSON.stringify(world.log)).not.toContain(secret);
  });

  it("with unreadable keys or keys scheduled for deletion has none, and restores them with new ones", async () => {
    const { id } = await make.university();
    const admin = world.as(await make.holder("university_admin", id));
    const source = async () => (await admin.get("/admin/cloud-credentials/status")).body.source;
    await admin.post("/admin/cloud-credentials", keys);
    expect(await source()).toBe("stored");
    vault.failWith("AccessDeniedException");
    expect(await source()).toBe("default_chain");
    expect(await source()).toBe("default_chain");
    vault.failWith();
    expect(world.log.filter(({ message }) => String(message).includes("is denied"))).toHaveLength(1);

    vault.doomed.add(`learning-platform/development/cloud-credentials/${id}`);
    expect(await source()).toBe("default_chain");
    expect((await admin.post("/admin/cloud-credentials/test")).body.success).toBe(true);
    expect((await admin.delete("/admin/cloud-credentials")).status).toBe(404);
    const stored = await admin.post("/admin/cloud-credentials", keys);
    expect([stored.status, await source()]).toEqual([200, "stored"]);
  });

  it("stores the keys under the environment's name, each university's below it", async () => {
    vault.secrets.clear();
    const author = { id: (await make.person()).id, now: world.deps.now() };
    for (const owner of [null, 7])
      await world.deps.credentials.write(owner, { accessKeyId: "AKIA1234", secretAccessKey: secret }, author);
    expect([...vault.secrets.keys()]).toEqual([
      "learning-platform/development/cloud-credentials",
      "learning-platform/development/cloud-credentials/7",
    ]);
  });
});
