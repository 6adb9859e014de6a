import { once } from "node:events";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { inject } from "vitest";
import {
  linkProject,
  type PackagedService,
  packageProject,
  packageService,
} from "../../scripts/build/package-service.ts";
import { createPatientServer } from "./patient-server.ts";

/** Package parameters: everything that can be set for a stage. */
const packagedWith = {
  alarmTopic: "arn:aws:sns:eu-central-1:123456789012:on-call",
  tracing: "true",
  domainName: "learn.example.edu",
  certificateArn: "arn:aws:acm:eu-central-1:123456789012:certificate/11111111-2222-3333-4444-555555555555",
  basePath: "lms",
  hostedZoneId: "Z0123456789ABC",
  chatConcurrency: "50",
  concurrency: "10",
  throttleRate: "20",
  throttleBurst: "40",
};
export const packagedFor = ["--stage", "production", "--region", "eu-central-1"];

export type PackageOffer = {
  address: string;
  /** Builds another package for later requests: the code may have changed. */
  forget(): void;
  close(): void;
};

/**
 * Offers one package of the service to all files of a run. The run's main process builds it below `folder` on
 * the first request; concurrent requests share it. It is deleted with the folder.
 */
export async function offerPackage(folder: string): Promise<PackageOffer> {
  const parameters = Object.entries(packagedWith).map(([name, value]) => `--param=${name}=${value}`);
  const make = async () =>
    packageService(await mkdtemp(path.join(folder, "packaged-")), [...packagedFor, ...parameters]);
  let packaged: Promise<PackagedService> | undefined;
  const server = createPatientServer(async (_request, response) => {
    packaged ??= make();
    await packaged.then(
      (service) => response.end(JSON.stringify(service)),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forget() {
      packaged = undefined;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The package that all files of the run share. Do not modify it. */
export async function packagedService(): Promise<PackagedService> {
  // `fetch` times out after five minutes.
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    get(inject("packageOffer"), resolve).once("error", reject),
  );
  const said = await text(response);
  if (response.statusCode !== 200) throw new Error(said);
  return JSON.parse(said) as PackagedService;
}

/**
 * The framework's output for the same bundles without parameters, as in `npm run package`. The bundles are
 * reused because parameters do not change them.
 */
export async function packagedAsItIs(parent: string): Promise<PackagedService> {
  const { folder } = await packagedService();
  const project = path.join(parent, "project");
  await linkProject(project);
  const file = path.join(project, "serverless.yml");
  const text = await readFile(file, "utf8");
  const bundled = `artifact: ${path.join(folder, "docs.zip")}`;
  await writeFile(file, text.replace("  - serverless-esbuild\n", "").replace("individually: true", bundled));
  return { ...(await packageProject(project)), folder };
}
