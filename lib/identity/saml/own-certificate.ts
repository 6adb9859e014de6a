import { createPrivateKey, createPublicKey, generateKeyPair, randomBytes, sign } from "node:crypto";
import { promisify } from "node:util";

/** The service's key for one provider (PEM) and its certificate (DER in base64). */
export type ServiceSamlKey = { private_key: string; certificate: string };

const years = 20;

/**
 * Self-signed (RFC 5280). Providers only compare it with the metadata: its name and expiry have no meaning.
 */
export async function generateServiceSamlKey(now: Date): Promise<ServiceSamlKey> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 3072 });
  const private_key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return { private_key, certificate: certificateOf(private_key, now).toString("base64") };
}

function certificateOf(privateKey: string, now: Date): Buffer {
  const publicKey = createPublicKey(createPrivateKey(privateKey)).export({ type: "spki", format: "der" });
  const name = sequence(set(sequence(identifier(commonName), utf8("learning platform"))));
  const end = new Date(now);
  end.setUTCFullYear(end.getUTCFullYear() + years);
  // Positive, at most 20 bytes.
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(15)]);
  const content = sequence(
    integer(serial),
    algorithm(),
    name,
    sequence(time(now), time(end)),
    name,
    publicKey,
  );
  const signature = sign("sha256", content, privateKey);
  return sequence(content, algorithm(), encoded(0x03, Buffer.concat([Buffer.from([0]), signature])));
}

/** 2.5.4.3 */
const commonName = Buffer.from("550403", "hex");
/** 1.2.840.113549.1.1.11: RSA with SHA-256 */
const rsaWithSha256 = Buffer.from("2a864886f70d01010b", "hex");

function encoded(tag: number, content: Buffer): Buffer {
  const length = content.length;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, "0"), "hex");
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length]), bytes, content]);
}

const sequence = (...parts: Buffer[]): Buffer => encoded(0x30, Buffer.concat(parts));
const set = (...parts: Buffer[]): Buffer => encoded(0x31, Buffer.concat(parts));
const integer = (bytes: Buffer): Buffer => encoded(0x02, bytes);
const identifier = (bytes: Buffer): Buffer => encoded(0x06, bytes);
const utf8 = (text: string): Buffer => encoded(0x0c, Buffer.from(text));
const algorithm = (): Buffer => sequence(identifier(rsaWithSha256), encoded(0x05, Buffer.alloc(0)));

/** UTCTime until 2049, GeneralizedTime from 2050. */
function time(moment: Date): Buffer {
  const digits = `${moment.toISOString().slice(0, 19).replaceAll(/\D/g, "")}Z`;
  return moment.getUTCFullYear() < 2050
    ? encoded(0x17, Buffer.from(digits.slice(2)))
    : encoded(0x18, Buffer.from(digits));
}
