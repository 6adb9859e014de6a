import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import {
  getCertificateSettings,
  issueCertificate,
  listCertificates,
  listMyCertificates,
  reissueCertificate,
  revokeCertificate,
  updateCertificateSettings,
} from "./certificates.ts";
import { getCertificateStatusList, getSigningKey, listSigningKeys } from "./keys.ts";
import {
  getCertificateCredential,
  getCertificatePage,
  getCertificatePdf,
  verifyCertificate,
} from "./verification.ts";

/** A separate function, since it bundles the PDF library. */
export const certificates = createEndpointGroup("Certificates", "/assessments/certificates", [
  listMyCertificates,
  verifyCertificate,
  getCertificatePage,
  getCertificatePdf,
  getCertificateCredential,
  listSigningKeys,
  getSigningKey,
  getCertificateStatusList,
  listCertificates,
  issueCertificate,
  getCertificateSettings,
  updateCertificateSettings,
  revokeCertificate,
  reissueCertificate,
]);
