import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { runCommandRejectingWarnings } from "../clients/toolchain.ts";

const version = "26.4.2";

export const keycloakUser = { username: "ada", password: "a word of Ada", email: "ada@campus.example.edu" };

export type KeycloakServer = {
  /** Address of the realm's metadata. */
  metadata: string;
  /** Registers a service, as its operator would. */
  addClient(entityId: string, acs: string): Promise<void>;
  stop(): Promise<void>;
};

/** Fetches Keycloak from Maven Central unless present; returns its folder. Throws a `ToolFailure`. */
export async function downloadKeycloak(folder: string): Promise<string> {
  const artifact = `org.keycloak:keycloak-quarkus-dist:${version}:zip`;
  const plugin = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1";
  await runCommandRejectingWarnings(
    folder,
    "mvn",
    "-q",
    "-B",
    `${plugin}:get`,
    `-Dartifact=${artifact}`,
    "-Dtransitive=false",
  );
  await runCommandRejectingWarnings(
    folder,
    "mvn",
    "-q",
    "-B",
    `${plugin}:copy`,
    `-Dartifact=${artifact}`,
    `-DoutputDirectory=${folder}`,
  );
  await runCommandRejectingWarnings(folder, "unzip", "-q", `keycloak-quarkus-dist-${version}.zip`);
  return path.join(folder, `keycloak-${version}`);
}

const realm = {
  realm: "campus",
  enabled: true,
  sslRequired: "none",
  users: [
    {
      ...{ username: keycloakUser.username, email: keycloakUser.email, emailVerified: true, enabled: true },
      ...{ firstName: "Ada", lastName: "Lovelace" },
      credentials: [{ type: "password", value: keycloakUser.password, temporary: false }],
    },
  ],
};

const administrator = { username: "operator", password: "a word of the operator" };

/** Starts Keycloak with a realm and a user; waits at most eight minutes. */
export async function startKeycloak(home: string): Promise<KeycloakServer> {
  const port = await freePort();
  await mkdir(path.join(home, "data/import"), { recursive: true });
  await writeFile(path.join(home, "data/import/campus.json"), JSON.stringify(realm));
  const address = `http://127.0.0.1:${port}`;
  const server = spawn(path.join(home, "bin/kc.sh"), ["start-dev", `--http-port=${port}`, "--import-realm"], {
    stdio: "ignore",
    detached: true,
    env: {
      ...process.env,
      KC_BOOTSTRAP_ADMIN_USERNAME: administrator.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: administrator.password,
    },
  });
  const stop = async () => {
    if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, "SIGKILL");
  };
  const metadata = `${address}/realms/${realm.realm}/protocol/saml/descriptor`;
  try {
    await answering(metadata);
  } catch (error) {
    await stop();
    throw error;
  }
  return { metadata, stop, addClient: (entityId, acs) => addClient(address, entityId, acs) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  server.close();
  return typeof address === "object" && address ? address.port : 0;
}

async function answering(address: string): Promise<void> {
  const until = Date.now() + 480_000;
  while (Date.now() < until) {
    const isThere = await fetch(address).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  throw new Error("Keycloak did not answer within eight minutes");
}

async function addClient(address: string, entityId: string, acs: string): Promise<void> {
  const form = new URLSearchParams({ grant_type: "password", client_id: "admin-cli", ...administrator });
  const token = await fetch(`${address}/realms/master/protocol/openid-connect/token`, {
    method: "POST",
    body: form,
  });
  const { access_token } = (await token.json()) as { access_token: string };
  const answer = await fetch(`${address}/admin/realms/${realm.realm}/clients`, {
    method: "POST",
    headers: { authorization: `Bearer ${access_token}`, "content-type": "application/json" },
    body: JSON.stringify(clientOf(entityId, acs)),
  });
  if (answer.status !== 201)
    throw new Error(`Keycloak did not accept the client: ${answer.status} ${await answer.text()}`);
}

const clientOf = (clientId: string, acs: string) => ({
  clientId,
  protocol: "saml",
  redirectUris: [acs],
  frontchannelLogout: false,
  attributes: {
    "saml.server.signature": "true",
    "saml.assertion.signature": "true",
    "saml.client.signature": "false",
    "saml.signature.algorithm": "RSA_SHA256",
    saml_name_id_format: "persistent",
    saml_force_name_id_format: "true",
    saml_assertion_consumer_url_post: acs,
  },
  protocolMappers: [
    {
      name: "mail",
      protocol: "saml",
      protocolMapper: "saml-user-property-mapper",
      config: {
        "user.attribute": "email",
        "attribute.name": "urn:oid:0.9.2342.19200300.100.1.3",
        "attribute.nameformat": "URI Reference",
      },
    },
  ],
});
