import { X509Certificate } from "node:crypto";
import type { Config } from "../../config.ts";
import { badRequest, HttpError, invalidField } from "../../errors.ts";
import { publicFetch } from "../auth/public-fetch.ts";
import type { ProviderMetadata } from "./metadata.ts";
import { parseProviderMetadataInThread } from "./read-metadata.ts";

type Parts = { config: Pick<Config, "ENVIRONMENT">; now: () => Date };

export type MetadataSource = {
  metadata_url?: string | null | undefined;
  metadata?: string | undefined;
  metadata_certificate?: string | null | undefined;
  issuer?: string | undefined;
};

const timeoutMs = 10_000;

/**
 * From URL or text, in a worker thread queued by `person`. 400 if it is unreadable or incomplete, 422 if the
 * URL is not HTTPS.
 */
export async function loadProviderMetadata(
  parts: Parts,
  { metadata_url, metadata, metadata_certificate, issuer }: MetadataSource,
  person: number,
): Promise<ProviderMetadata> {
  const is_development = parts.config.ENVIRONMENT === "development";
  if (metadata_url && !is_development && !metadata_url.startsWith("https:"))
    throw invalidField(["metadata_url"], "Input should be an https address");
  if (metadata_certificate) ensureCertificate(metadata_certificate);
  const xml = metadata ?? (await fetched(metadata_url ?? "", is_development));
  const certificate = metadata_certificate ?? undefined;
  const now = parts.now().getTime();
  return parseProviderMetadataInThread({ xml, issuer, certificate, now, is_development }, person);
}

function ensureCertificate(pem: string): void {
  try {
    new X509Certificate(pem);
  } catch {
    throw invalidField(["metadata_certificate"], "Input should be a certificate as PEM");
  }
}

/** The URL is untrusted, so only HTTPS and public addresses are allowed. */
async function fetched(address: string, isDevelopment: boolean): Promise<string> {
  const asked = {
    method: "GET",
    headers: { accept: "application/samlmetadata+xml, application/xml;q=0.9, */*;q=0.1" },
    signal: AbortSignal.timeout(timeoutMs),
  };
  try {
    const answer = isDevelopment
      ? await fetch(address, { ...asked, redirect: "manual" })
      : await publicFetch(address, asked);
    if (answer.status !== 200) throw badRequest("metadata_address_answered", { status: answer.status });
    return await answer.text();
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw badRequest("metadata_address_unreadable");
  }
}
