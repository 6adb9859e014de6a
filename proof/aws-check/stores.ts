import { buffer } from "node:stream/consumers";
import { secretsManagerStore } from "../../lib/identity/credentials/secrets-manager-store.ts";
import { chooseFileStore } from "../../lib/platform/file-store/choose-file-store.ts";
import { ToolFailure } from "../clients/toolchain.ts";
import { awsRegion } from "./moto.ts";

/** Writes, reads and removes credentials of the platform and a university, as an administrator does. */
export async function exerciseSecretsManagerStore(secretId: string): Promise<void> {
  const store = secretsManagerStore({
    region: awsRegion,
    secretId,
    log: { warn: (fields, said) => console.warn(said, fields) },
  });
  const keys = { accessKeyId: "AKIAREHEARSAL", secretAccessKey: "kept" };
  for (const owner of [null, 7]) {
    await store.write(owner, keys, { id: 1, now: new Date() });
    if ((await store.read(owner))?.accessKeyId !== keys.accessKeyId)
      throw new ToolFailure("The credentials differ");
    await store.remove(owner);
    if (await store.read(owner)) throw new ToolFailure("Removed credentials are there");
  }
}

/** Writes a file into the bucket and reads it. */
export async function exerciseBucketStore(bucket: string, endpoint: string): Promise<void> {
  const FILE_STORE = { kind: "s3", bucket, region: awsRegion, endpoint, pathStyle: true } as const;
  const settings = { FILE_STORE, ENVIRONMENT: "production", onLambda: false, SECRET_KEY: "" } as const;
  const store = chooseFileStore({ ...settings, SECRET_KEY_PREVIOUS: undefined }, () => new Date());
  await store.write("objects/rehearsal", Buffer.from("A file"), "text/plain");
  const stream = await store.read("objects/rehearsal");
  if (!stream || (await buffer(stream)).toString() !== "A file") throw new ToolFailure("The file differs");
}
