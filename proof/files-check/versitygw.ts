import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { connect, createServer } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { runCommandRejectingWarnings } from "../clients/toolchain.ts";

const module = "github.com/versity/versitygw/cmd/versitygw@v1.8.0";

export const gatewayCredentials = { accessKeyId: "files-check", secretAccessKey: "a-secret-of-the-check" };

const region = "us-east-1";
const bucket = "files";

/** Builds the gateway with Go, which takes minutes the first time. */
export async function buildGateway(folder: string): Promise<string> {
  await runCommandRejectingWarnings(folder, "env", `GOBIN=${folder}`, "go", "install", module);
  return path.join(folder, "versitygw");
}

/** Starts the gateway on an empty folder with a bucket; returns the service's setting. */
export async function startGatewayWithBucket(program: string, folder: string) {
  const [data, sidecar] = [path.join(folder, "data"), path.join(folder, "sidecar")];
  for (const one of [data, sidecar]) await mkdir(one, { recursive: true });
  const port = await freePort();
  const words = [
    ...["--port", `127.0.0.1:${port}`, "--region", region, "--quiet", "--keep-alive"],
    ...["--access", gatewayCredentials.accessKeyId, "--secret", gatewayCredentials.secretAccessKey],
    // Metadata that the file system cannot store next to a file goes into a separate folder.
    ...["posix", "--sidecar", sidecar, data],
  ];
  const gateway = spawn(program, words, { stdio: ["ignore", "ignore", "inherit"] });
  const endpoint = `http://127.0.0.1:${port}`;
  await listening(port);
  const client = new S3Client({ region, endpoint, forcePathStyle: true, credentials: gatewayCredentials });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  return {
    setting: `s3://${bucket}?region=${region}&endpoint=${endpoint}&path_style=true`,
    stop: () => gateway.kill(),
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listening(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
      socket.on("connect", () => socket.destroy());
    });
    if (isThere) return;
    await sleep(100);
  }
  throw new Error("versitygw does not listen");
}
