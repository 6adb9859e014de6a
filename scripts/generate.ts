/**
 * `npm run generate [part]`: writes generated files. With `--check` it only compares, and exits with 1 if a
 * file is outdated.
 */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { nodeArguments } from "../server/node-arguments.ts";
import { isCurrent, makeCurrent } from "./build/generated-file.ts";
import { commandLine, refuse } from "./command-line.ts";

const root = path.resolve(import.meta.dirname, "..");

const usage = `npm run generate [part] -- [--name prompt_sizes] [--check]

Generates files from the code: one part, or all parts but the last two.

openapi      docs/reference/openapi.json, the API document
permissions  docs/reference/permissions.md, who may do what
writes       docs/reference/writes.md, what a write to a table causes
tutor        docs/reference/tutor-input.md, what the tutor receives
cartridges   docs/reference/cartridge-settings.md, what an import makes of settings
packages     docs/reference/packages.md, the packages and where they are imported
settings     docs/reference/settings.md, and the settings of compose.yaml and serverless.yml
alerts       docs/reference/prometheus-alerts.yml, docs/reference/grafana-alerts.json and docs/reference/alerts.md
client       client/api.ts and client/operations.ts, from docs/reference/openapi.json
refusals     app/texts/refusals/en.json, the message of each error code
migration    the next migration, which --name names
sbom         prints all shipped packages, as CycloneDX
screenshots  docs/images, taken of the demonstration with Chromium

With --check, nothing is written, and the exit code is 1 if a file is not current.`;

const { flags, words } = commandLine({
  usage,
  flags: { name: { type: "string" }, check: { type: "boolean", default: false } },
  words: 1,
});

type File = [name: string, write: () => Promise<string>];

/**
 * The client is generated from the document on disk, which therefore comes first. Each part imports only its
 * own code.
 */
const files: Readonly<Record<string, readonly File[]>> = {
  openapi: [
    ["docs/reference/openapi.json", async () => (await import("./build/openapi/write.ts")).writeDocument()],
  ],
  permissions: [
    [
      "docs/reference/permissions.md",
      async () => (await import("./build/permissions/write.ts")).writePermissions(),
    ],
  ],
  writes: [["docs/reference/writes.md", async () => (await import("./build/writes/write.ts")).writeWrites()]],
  tutor: [
    ["docs/reference/tutor-input.md", async () => (await import("./build/told/write.ts")).writeToldToTutor()],
  ],
  cartridges: [
    [
      "docs/reference/cartridge-settings.md",
      async () => (await import("./build/cartridge-settings/write.ts")).writeCartridgeSettings(),
    ],
  ],
  packages: [
    ["docs/reference/packages.md", async () => (await import("./build/packages/table.ts")).writePackages()],
  ],
  settings: [
    ["compose.yaml", async () => (await import("./build/settings/write.ts")).writeComposeSettings()],
    ["serverless.yml", async () => (await import("./build/settings/write.ts")).writeServerlessSettings()],
    [
      "docs/reference/settings.md",
      async () => (await import("./build/settings/write.ts")).writeSettingsPage(),
    ],
  ],
  alerts: [
    [
      "docs/reference/prometheus-alerts.yml",
      async () => (await import("./build/alerts/write.ts")).writePrometheusAlerts(),
    ],
    [
      "docs/reference/grafana-alerts.json",
      async () => (await import("./build/alerts/write.ts")).writeGrafanaAlerts(),
    ],
    ["docs/reference/alerts.md", async () => (await import("./build/alerts/write.ts")).writeAlertsPage()],
  ],
  client: [
    ["client/api.ts", async () => (await import("../client/generate-types.ts")).writeTypes()],
    [
      "client/operations.ts",
      async () => (await import("../client/generate-operations.ts")).writeOperations(),
    ],
  ],
  refusals: [
    ["app/texts/refusals/en.json", async () => (await import("./build/refusals/write.ts")).writeRefusals()],
  ],
};

const current: Readonly<Record<string, () => Promise<void>>> = {
  ...Object.fromEntries(Object.entries(files).map(([part, all]) => [part, () => makeFiles(all)])),
  migration: makeMigration,
};

const onRequest: Readonly<Record<string, () => Promise<unknown>>> = {
  sbom: async () => (await import("./build/licenses/sbom.ts")).printBillOfMaterials(),
  screenshots: async () => (await import("./build/screenshots.ts")).drawScreenshots(usage),
};

const [word] = words;
const parts = { ...current, ...onRequest };
if (word === undefined) for (const make of Object.values(current)) await make();
else if (!Object.hasOwn(parts, word))
  refuse(`Unknown part '${word}': ${Object.keys(parts).join(", ")}`, usage);
else if (flags.check && Object.hasOwn(onRequest, word)) refuse(`--check is not for ${word}`, usage);
else await parts[word]?.();

async function makeFiles(all: readonly File[]): Promise<void> {
  for (const [file, write] of all) {
    const text = await write();
    if (!flags.check || (await isCurrent(file, text))) await makeCurrent(file, text);
    else fail(`${file} is not current: run "npm run generate"`);
  }
}

async function makeMigration(): Promise<void> {
  const flagsOfMigration = [
    ...(flags.name === undefined ? [] : ["--name", flags.name]),
    ...(flags.check ? ["--check"] : []),
  ];
  const script = path.join(root, "scripts/migrations.ts");
  await promisify(execFile)(process.execPath, [...nodeArguments, script, ...flagsOfMigration]).then(
    ({ stdout }) => console.log(stdout.trim()),
    ({ stderr }) => fail(String(stderr).trim()),
  );
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
