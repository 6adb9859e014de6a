import { sql } from "drizzle-orm";
import { afterEach, beforeAll, expect, it } from "vitest";
import { providerSecretEncryptionPurpose } from "../../../../lib/identity/auth/university-providers.ts";
import { decrypt, encrypt } from "../../../../lib/platform/secrets/encryption.ts";
import { createTokenService } from "../../../../lib/platform/secrets/tokens.ts";
import { renewSecrets } from "../../../../scripts/ops/renew-secrets.ts";
import type { Client } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import { makeSamlProvider } from "../../../support/saml-provider.ts";
import { openWorld } from "../../../support/world.ts";

const [former, current] = ["former", "current"].map(
  (one) => `the ${one} secret of the tests, long enough`,
) as [string, string];
const secrets = { SECRET_KEY: current, SECRET_KEY_PREVIOUS: former };

/** All processes have both keys, as between the two deployments of a rotation. */
const world = openWorld(secrets);
const make = makersOf(world);

let university: number;
let admin: Client;
let metadata: string;

beforeAll(async () => {
  university = (await make.university()).id;
  admin = world.as(await make.holder("university_admin", university));
  metadata = (await makeSamlProvider(world.deps.now)).metadata();
});

const here = () => `/universities/${university}/identity-providers`;

type Provider = { id: number; login_name: string; step(which: string): Promise<{ status: number }> };

/** A SAML provider with a second key, all of whose secrets are encrypted under the former SECRET_KEY. */
async function addOutdated(): Promise<Provider> {
  const name = make.unique("campus").toLowerCase();
  const { body } = await admin.post(here(), { kind: "saml", name, label: "Campus", metadata });
  const step = (which: string) => admin.post(`${here()}/${body.id}/own-key`, { step: which });
  expect((await step("ADD")).status).toBe(200);
  const [row] = await storedSecrets(body.id);
  await world.deps.db.execute(sql`
    update identity_providers set secret_ciphertext = ${underFormer(row?.first)} where id = ${body.id}`);
  await world.deps.db.execute(sql`
    update saml_providers set second_secret_ciphertext = ${underFormer(row?.second)}
    where identity_provider_id = ${body.id}`);
  return { id: body.id, login_name: body.login_name, step };
}

const purpose = () => providerSecretEncryptionPurpose(university);
const underFormer = (text = "") => encrypt(decrypt(text, current, purpose()), former, purpose());

async function storedSecrets(id?: number) {
  const { rows } = await world.deps.db.execute<{ id: number; first: string; second: string }>(sql`
    select one.id, secret_ciphertext as first, second_secret_ciphertext as second
    from identity_providers as one join saml_providers as saml on saml.identity_provider_id = one.id
    where ${id ?? null}::int is null or one.id = ${id ?? null}::int order by one.id`);
  return rows;
}

/** Secrets that a process without the former key cannot read. */
async function outdated(): Promise<string[]> {
  const all = (await storedSecrets()).flatMap(({ first, second }) => [first, second]);
  return all.filter((text) => {
    try {
      decrypt(text, current, purpose());
      return false;
    } catch {
      return true;
    }
  });
}

afterEach(() => world.deps.db.execute("drop function if exists switch_of_test() cascade"));

it("a switch of a provider's keys during the renewal leaves no secret under the former key", async () => {
  const [passed, next] = [await addOutdated(), await addOutdated()];
  await world.deps.db.execute(`
    create function switch_of_test() returns trigger language plpgsql as $$
    declare second text;
    begin
      select second_secret_ciphertext into second from saml_providers where identity_provider_id = ${passed.id};
      update saml_providers set second_secret_ciphertext =
        (select secret_ciphertext from identity_providers where id = ${passed.id}) where identity_provider_id = ${passed.id};
      update identity_providers set secret_ciphertext = second where id = ${passed.id};
      return new;
    end $$;
    create trigger switch_of_test before update of secret_ciphertext on identity_providers
    for each row when (new.id = ${next.id}) execute function switch_of_test()`);
  expect(await outdated()).toHaveLength(4);
  await renewSecrets(world.deps.db, secrets);
  expect(await outdated()).toEqual([]);
});

it("no request fails while secrets are renewed, and afterwards the current key alone reads them all", async () => {
  const providers: Provider[] = [];
  while (providers.length < 8) providers.push(await addOutdated());
  const learner = await make.person();
  const issued = await createTokenService({ ...world.deps.config, SECRET_KEY: former }, world.deps.now).issue(
    learner,
  );
  const headers = { authorization: `Bearer ${issued.access_token}` };
  const requests: (() => Promise<{ status: number }>)[] = [
    ...providers.map((one) => () => world.as().get(`/auth/saml/${one.login_name}/metadata`)),
    ...providers.slice(0, 2).map((one) => () => one.step("SWITCH")),
    () => world.as().get("/users/me", { headers }),
  ];
  let isRenewed = false;
  const statuses: number[] = [];
  const load = requests.map(async (request) => {
    // One round more after the end.
    for (let isLast = false; !isLast; ) {
      isLast = isRenewed;
      statuses.push((await request()).status);
    }
  });
  await renewSecrets(world.deps.db, secrets);
  isRenewed = true;
  await Promise.all(load);
  expect(statuses.length).toBeGreaterThanOrEqual(2 * requests.length);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await outdated()).toEqual([]);
});
