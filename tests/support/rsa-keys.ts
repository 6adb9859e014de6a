import crypto, { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

type KeyPair = { publicKey: KeyObject; privateKey: KeyObject };

const folder = path.resolve(import.meta.dirname, "../../node_modules/.cache/test-keys");

/** More than any file uses, so no two keys of a file are the same. */
const seriesLength = 64;

const generate = promisify(crypto.generateKeyPair);
const series = new Map<string, Promise<KeyPair>>();
let taken = 0;

/** The next of a series of RSA keys. Generating one takes 0.1 to 1 CPU second, so each is cached on disk. */
export function takeRsaKey(modulusLength: number): Promise<KeyPair> {
  const file = path.join(folder, `rsa-${modulusLength}-${taken++ % seriesLength}.pem`);
  const key = series.get(file) ?? readOrGenerate(file, modulusLength);
  series.set(file, key);
  return key;
}

async function readOrGenerate(file: string, modulusLength: number): Promise<KeyPair> {
  const pem = await readFile(file).catch(() => undefined);
  if (pem) {
    const privateKey = createPrivateKey(pem);
    return { privateKey, publicKey: createPublicKey(privateKey) };
  }
  const pair = await generate("rsa", { modulusLength });
  await keep(file, pair).catch(({ code }) => console.warn(`${file} cannot be written (${code})`));
  return pair;
}

/** Renames a complete file: other workers read all of it or nothing. */
async function keep(file: string, { privateKey }: KeyPair): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await mkdir(folder, { recursive: true });
  await writeFile(draft, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  await rename(draft, file);
}

/** Makes `promisify(generateKeyPair)` in the code under test use the series. */
export function serveKeptRsaKeys(): void {
  const take = (type: string, options: { modulusLength: number }) => {
    if (type !== "rsa") throw new Error(`Only RSA keys are kept, and a key of type ${type} was asked for`);
    return takeRsaKey(options.modulusLength);
  };
  Object.defineProperty(crypto.generateKeyPair, promisify.custom, { value: take, configurable: true });
}
