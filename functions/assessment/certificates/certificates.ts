import * as certificates from "../../../lib/assessment/certificates/certificates.ts";
import * as issuing from "../../../lib/assessment/certificates/issue.ts";
import * as settings from "../../../lib/assessment/certificates/settings.ts";
import { created, createdOrFound, endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo, signedIn } from "../../../lib/identity/auth/guards.ts";
import {
  Certificate,
  CertificateIssue,
  CertificateQuery,
  CertificateReissue,
  CertificateRevocation,
  CertificateSettings,
  CertificateSettingsUpdate,
  OfferingCertificate,
  OfferingCertificateQuery,
} from "../../../schema/api/assessment/certificates.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const ofOffering = "/offerings/{offering_id}";
const offering = pathIds("offering_id");
const single = "/issued/{certificate_id}";
const params = pathIds("certificate_id");

export const listMyCertificates = endpoint(
  {
    id: "listMyCertificates",
    method: "get",
    path: "/mine",
    summary: "List the caller's certificates",
    ...signedIn,
    query: CertificateQuery,
    ...ok(listOf(Certificate), "Certificates, newest first, including revoked and replaced ones"),
  },
  ({ deps, actor, query }) => certificates.listMyCertificates(deps.db, actor, query, deps.now()),
);

export const listCertificates = endpoint(
  {
    id: "listCertificates",
    method: "get",
    path: ofOffering,
    summary: "List certificates of an offering",
    ...permittedTo("certificate:read"),
    scope: "grades:read",
    params: offering,
    query: OfferingCertificateQuery,
    ...ok(listOf(OfferingCertificate), "Certificates, by id"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) =>
    certificates.listCertificates(deps.db, actor, params.offering_id, query, deps.now()),
);

export const issueCertificate = endpoint(
  {
    id: "issueCertificate",
    method: "post",
    path: ofOffering,
    summary: "Issue a certificate",
    description:
      "Requires completion by results or by staff; self-declared completion does not count. The name and " +
      "titles are fixed at issue. Each person has one certificate per offering; issuing again returns it.",
    ...permittedTo("certificate:issue"),
    params: offering,
    body: CertificateIssue,
    ...createdOrFound(Certificate, "The new certificate", "The existing certificate"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    issuing.issueCertificate(deps.db, actor, params.offering_id, body, deps.now()),
);

export const getCertificateSettings = endpoint(
  {
    id: "getCertificateSettings",
    method: "get",
    path: `${ofOffering}/settings`,
    summary: "Read certificate settings",
    ...permittedTo("certificate:read"),
    params: offering,
    ...ok(CertificateSettings, "The settings"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => settings.getCertificateSettings(deps.db, actor, params.offering_id),
);

export const updateCertificateSettings = endpoint(
  {
    id: "updateCertificateSettings",
    method: "put",
    path: `${ofOffering}/settings`,
    summary: "Update certificate settings",
    description: "Issued certificates do not change.",
    ...permittedTo("certificate:issue"),
    params: offering,
    body: CertificateSettingsUpdate,
    ...ok(CertificateSettings, "The settings"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body }) =>
    settings.updateCertificateSettings(deps.db, actor, params.offering_id, body),
);

export const revokeCertificate = endpoint(
  {
    id: "revokeCertificate",
    method: "post",
    path: `${single}/revoke`,
    summary: "Revoke a certificate",
    description: "Verification then reports it as revoked. Revoking again changes nothing.",
    ...permittedTo("certificate:issue"),
    params,
    body: CertificateRevocation,
    ...ok(Certificate, "The revoked certificate"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    issuing.revokeCertificate(deps.db, actor, params.certificate_id, body, deps.now()),
);

export const reissueCertificate = endpoint(
  {
    id: "reissueCertificate",
    method: "post",
    path: `${single}/reissue`,
    summary: "Reissue a certificate",
    description:
      "Replaces a wrong, lost or expired certificate, or one revoked by mistake. The new certificate has " +
      "its own code, and verification of the old code reports the replacement.",
    ...permittedTo("certificate:issue"),
    params,
    body: CertificateReissue,
    ...created(Certificate, "The new certificate"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    issuing.reissueCertificate(deps.db, actor, params.certificate_id, body, deps.now()),
);
