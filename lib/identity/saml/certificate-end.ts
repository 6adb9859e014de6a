import { X509Certificate } from "node:crypto";

/** The end of a certificate that is stored as DER in base64. */
export const certificateExpiryDate = (certificate: string): Date =>
  new Date(new X509Certificate(Buffer.from(certificate, "base64")).validTo);
