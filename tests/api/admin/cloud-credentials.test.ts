import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expiringKeys } from "../../../lib/credentials/resolve.ts";
import { chooseProvider } from "../../../lib/llm/choose.ts";
import { storedCredentials } from "../../../schema/db/credentials.ts";
import { type CloudStandIn, startCloudStandIn } from "../../support/cloud-stand-in.ts";
import { makersOf } from "../../support/makers.ts";
import {
  type SecretsManagerStandIn,
  startSecretsManagerStandIn,
} from "../../support/secrets-manager-stand-in.ts";
import { openWorld } from "../../support/world.ts";

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
    await world.deps.credentials.remove();
    cloud.calls.length = 0;
  });

  async function administrator() {
    const { id } = await make.university();
    const person = await make.holder("university_admin", id);
    return { ...world.as(person), id: person.id };
  }

  it("are answered as a status that shows the last four characters, who and when", async () => {
    const admin = await administrator();
    const status = {
      configured: true,
      source: "stored",
      access_key_id_last4: "1234",
      updated_at: world.deps.now().toISOString(),
      updated_by: admin.id,
    };
    const stored = await admin.post("/admin/cloud-credentials", keys);
    expect([stored.status, stored.body]).toEqual([200, status]);
    expect((await admin.get("/admin/cloud-credentials/status")).body).toEqual(status);
  });

  it("are replaced as a whole, so that no session token outlives its keys", async () => {
    const admin = await administrator();
    await admin.post("/admin/cloud-credentials", { ...keys, cloud_session_token: sessionToken });
    expect(await world.deps.credentials.read()).toMatchObject({ sessionToken });
    await admin.post("/admin/cloud-credentials", { ...keys, cloud_access_key_id: "AKIASECOND5678" });
    expect(await world.deps.credentials.read()).toEqual({
      accessKeyId: "AKIASECOND5678",
      secretAccessKey: secret,
    });
  });

  it("come before the environment's, which are used again when they are removed", async () => {
    const admin = await administrator();
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
      access_key_id_last4: "9876",
      updated_at: null,
      updated_by: null,
    });
    expect((await admin.delete("/admin/cloud-credentials")).body.detail).toBe("Cloud credentials not found");
  });

  it("are tested with a real call, whose failure is an answer in codes", async () => {
    const admin = await administrator();
    await admin.post("/admin/cloud-credentials", { ...keys, cloud_access_key_id: "REVOKED1" });
    const failed = await admin.post("/admin/cloud-credentials/test");
    expect(failed.status).toBe(200);
    expect(failed.body).toMatchObject({ success: false, provider: "cloud_managed" });
    expect(failed.body.error).toMatch(/^cloud_managed: HTTP 403, UnrecognizedClientException/);
  });

  it("are used by a provider that has connected before, without a restart", async () => {
    const admin = await administrator();
    const fresh = expiringKeys(world.deps.config, world.deps.credentials, 0);
    const provider = chooseProvider(world.deps.config, fresh);
    const call = async () => {
      const messages = [{ role: "user" as const, content: "Start." }];
      for await (const _ of provider.stream({ model: "model", system: "", messages }));
      return cloud.calls.at(-1)?.accessKeyId;
    };
    expect(await call()).toBe(environment.CLOUD_ACCESS_KEY_ID);
    await admin.post("/admin/cloud-credentials", keys);
    expect(await call()).toBe(keys.cloud_access_key_id);
  });

  it("are asked for again by the client within a minute", async () => {
    const { expiration } = await expiringKeys(world.deps.config, world.deps.credentials)();
    const keptMs = (expiration?.getTime() ?? 0) - Date.now() - 5 * 60_000;
    expect(keptMs).toBeGreaterThan(0);
    expect(keptMs).toBeLessThan(60_000);
  });

  it("answer the learner", async () => {
    const admin = await administrator();
    await admin.post("/admin/cloud-credentials", keys);
    const { item } = await make.topic();
    const learner = world.as(await make.person());
    const session = await learner.post("/chat/sessions", { content_item_id: item.id });
    const answer = await learner.post(`/chat/sessions/${session.body.id}/messages`, { content: "Start." });
    expect(answer.text).toContain("Hello");
    expect(cloud.calls.at(-1)?.accessKeyId).toBe(keys.cloud_access_key_id);
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

  it("are not for nobody", async () => {
    expect((await world.as().get("/admin/cloud-credentials/status")).status).toBe(401);
  });

  it("keep one of two that are stored at once", async () => {
    const admin = await administrator();
    const ids = ["AKIAFIRST", "AKIASECOND"];
    const answers = await Promise.all(
      ids.map((id) => admin.post("/admin/cloud-credentials", { ...keys, cloud_access_key_id: id })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(ids).toContain((await world.deps.credentials.read())?.accessKeyId);
  });
});

describe("what the database keeps", () => {
  const world = openWorld(usual);
  const make = makersOf(world);
  const author = async () => ({ id: (await make.person()).id, now: world.deps.now() });
  const stored = { accessKeyId: "AKIASTOREDKEY1234", secretAccessKey: secret };

  it("is encrypted, and each time anew", async () => {
    const ciphertext = async () => {
      await world.deps.credentials.write(stored, await author());
      const [row] = await world.deps.db.select().from(storedCredentials);
      return row?.ciphertext ?? "";
    };
    const [first, second] = [await ciphertext(), await ciphertext()];
    expect(first).not.toBe(second);
    for (const text of [first, second])
      expect(Buffer.from(text.slice(3), "base64url").toString("latin1")).not.toContain(secret);
  });

  it("that was altered is not used, and neither is the environment: the test says so", async () => {
    await world.deps.credentials.write(stored, await author());
    const [row] = await world.deps.db.select().from(storedCredentials);
    const altered = `${row?.ciphertext.slice(0, -2)}${row?.ciphertext.endsWith("AA") ? "BB" : "AA"}`;
    await world.deps.db.update(storedCredentials).set({ ciphertext: altered });
    const { id } = await make.university();
    const admin = world.as(await make.holder("university_admin", id));
    const test = await admin.post("/admin/cloud-credentials/test");
    expect(test.body).toMatchObject({ success: false, error: "the stored cloud credentials cannot be read" });
    expect((await admin.get("/admin/cloud-credentials/status")).body.source).toBe("stored");
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

  it("that refuses is a 503, and what it says is not passed on", async () => {
    const { id } = await make.university();
    const admin = world.as(await make.holder("university_admin", id));
    vault.failWith("AccessDeniedException");
    const answer = await admin.post("/admin/cloud-credentials", keys);
    const test = await admin.post("/admin/cloud-credentials/test");
    vault.failWith();
    expect([answer.status, answer.body.detail]).toEqual([503, "The credential store cannot be reached"]);
    expect(test.body).toMatchObject({ success: false, error: "The credential store cannot be reached" });
    expect(JSON.stringify(world.log)).toContain("AccessDeniedException");
    expect(JSON.stringify(world.log)).not.toContain(secret);
  });

  it("keeps the keys under the environment's name", async () => {
    await world.deps.credentials.write(
      { accessKeyId: "AKIA1234", secretAccessKey: secret },
      { id: (await make.person()).id, now: world.deps.now() },
    );
    expect([...vault.secrets.keys()]).toEqual(["learning-platform/development/cloud-credentials"]);
  });
});
