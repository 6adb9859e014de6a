import * as certificates from "../../../lib/assessment/certificates/certificates.ts";
import * as issuing from "../../../lib/assessment/certificates/issue.ts";
import * as settings from "../../../lib/assessment/certificates/settings.ts";
import { created, createdOrFound, endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may, signedIn } from "../../../lib/identity/auth/guards.ts";
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
    summary: "List one's own certificates",
    ...signedIn,
    query: CertificateQuery,
    ...ok(listOf(Certificate), "Certificates, newest first; those that were revoked or replaced say so"),
  },
  ({ deps, actor, query }) => certificates.listMyCertificates(deps.db, actor, query, deps.now()),
);

export const listCertificates = endpoint(
  {
    id: "listCertificates",
    method: "get",
    path: ofOffering,
    summary: "List the certificates of an offering",
    ...may("certificate:read"),
    scope: "grades:read",
    params: offering,
    query: OfferingCertificateQuery,
    ...ok(listOf(OfferingCertificate), "Certificates by id"),
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
    summary: "Issue a certificate to someone who has completed an offering",
    description:
      "By a result, or as its staff say: a completion of someone's own word counts for nothing. The name and the titles are printed as they are then, and stay. There is one for a person and an offering, however often it is issued.",
    ...may("certificate:issue"),
    params: offering,
    body: CertificateIssue,
    ...createdOrFound(Certificate, "The new certificate", "The certificate that they have already"),
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
    summary: "Read how an offering issues certificates",
    ...may("certificate:read"),
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
    summary: "Change how an offering issues certificates",
    description: "From then on: nothing changes of those that were issued.",
    ...may("certificate:issue"),
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
    description: "Whoever verifies it is told so from then on. Revoking again changes nothing.",
    ...may("certificate:issue"),
    params,
    body: CertificateRevocation,
    ...ok(Certificate, "The certificate, revoked"),
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
    summary: "Issue a certificate anew, in place of one that is wrong, lost or over",
    description:
      "Under a code of its own; the old code says that it was replaced. It is also how one that was revoked by mistake is given back.",
    ...may("certificate:issue"),
    params,
    body: CertificateReissue,
    ...created(Certificate, "The new certificate"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    issuing.reissueCertificate(deps.db, actor, params.certificate_id, body, deps.now()),
);
