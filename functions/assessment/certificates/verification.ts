import {
  certificatePageCsp,
  certificateVerificationPageHtml,
} from "../../../lib/assessment/certificates/certificate-page.ts";
import { certificateUrl } from "../../../lib/assessment/certificates/certificate-urls.ts";
import { openBadgeClaims } from "../../../lib/assessment/certificates/open-badge.ts";
import { signCredential } from "../../../lib/assessment/certificates/signing-keys.ts";
import { findCertificateByCode } from "../../../lib/assessment/certificates/verification.ts";
import { badRequest } from "../../../lib/errors.ts";
import { readBundledBytes } from "../../../lib/http/bundled-file.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { negotiateContentType } from "../../../lib/http/negotiate-content-type.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { fairLimits } from "../../../lib/platform/async/fair-limits.ts";
import { CertificateCode, CertificateVerification } from "../../../schema/api/assessment/certificates.ts";
import { publicApiBaseUrl } from "./addresses-of.ts";

const single = "/verify/{certificate_code}";
const params = CertificateCode;

export const verifyCertificate = endpoint(
  {
    id: "verifyCertificate",
    method: "get",
    path: single,
    summary: "Verify a certificate",
    description: "Returns only the printed contents and the validity.",
    ...anyone,
    params,
    ...ok(CertificateVerification, "The certificate"),
    fails: [404],
  },
  async ({ deps, params }) =>
    (await findCertificateByCode(deps.db, params.certificate_code, deps.now())).printed,
);

export const getCertificatePage = endpoint(
  {
    id: "getCertificatePage",
    method: "get",
    path: `${single}/page`,
    summary: "Show a certificate page",
    ...anyone,
    params,
    answer: {
      status: 200,
      schema: undefined,
      description: "A page with the printed contents and the validity",
      also: { "text/html": "<!doctype html><title>Certificate of Ada Lovelace</title>" },
    },
    fails: [404],
  },
  async ({ deps, params: { certificate_code: code }, http }) => {
    const { printed, timeZone } = await findCertificateByCode(deps.db, code, deps.now());
    const at = (part: string) => certificateUrl(publicApiBaseUrl(http, deps.config), code, part);
    const page = certificateVerificationPageHtml(printed, code, {
      pdf: at("pdf"),
      credential: at("credential"),
      timeZone,
    });
    return http.html(page, 200, { "Content-Security-Policy": certificatePageCsp });
  },
);

const packages = new URL("../../../node_modules/", import.meta.url);
const defaultCertificateFontUrl = new URL("dejavu-fonts-ttf/ttf/DejaVuSans.ttf", packages);
const other = new URL("@fontsource/unifontex/files/unifontex-latin-400-normal.woff", packages);

export const getCertificatePdf = endpoint(
  {
    id: "getCertificatePdf",
    method: "get",
    path: `${single}/pdf`,
    summary: "Download a certificate as PDF",
    description: "Shows the state at download and the verification address.",
    ...anyone,
    shares: "processor",
    params,
    answer: {
      status: 200,
      schema: undefined,
      description: "One A4 page",
      also: { "application/pdf": "%PDF-1.3", "application/octet-stream": "%PDF-1.3" },
    },
    fails: [404],
  },
  async ({ deps, params: { certificate_code: code }, http }) => {
    const { printed, timeZone } = await findCertificateByCode(deps.db, code, deps.now());
    // Loaded on the first request, which keeps it out of the cold start.
    const { certificatePdf } = await import("../../../lib/assessment/certificates/certificate-pdf.ts");
    const fonts = {
      usual: await readBundledBytes(defaultCertificateFontUrl),
      other: await readBundledBytes(other),
    };
    const address = certificateUrl(publicApiBaseUrl(http, deps.config), code, "page");
    const pdf = await fairLimits.processor.run(() =>
      certificatePdf(printed, { code, address, fonts, timeZone }),
    );
    return http.body(new Uint8Array(pdf), 200, {
      "Content-Type": negotiateContentType(http, "application/pdf", "application/octet-stream"),
      Vary: "Accept",
      "Content-Disposition": 'inline; filename="certificate.pdf"',
      // The browser's PDF viewer needs to load it.
      "Content-Security-Policy": "frame-ancestors 'none'",
    });
  },
);

const exampleToken = "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJuYW1lIjoiU2lnbmFscyJ9.c2ln";

export const getCertificateCredential = endpoint(
  {
    id: "getCertificateCredential",
    method: "get",
    path: `${single}/credential`,
    summary: "Download a certificate as Open Badge",
    description:
      "An Open Badges 3.0 credential as a JSON Web Token, signed by the platform. Its header has the " +
      "address of the public key.",
    ...anyone,
    shares: "processor",
    params,
    answer: {
      status: 200,
      schema: undefined,
      description: "The credential",
      also: { "application/vc+jwt": exampleToken, "text/plain": exampleToken },
    },
    fails: [400, 404],
  },
  async ({ deps, params: { certificate_code: code }, http }) => {
    const certificate = await findCertificateByCode(deps.db, code, deps.now());
    const { state } = certificate.printed;
    if (state === "REVOKED" || state === "REPLACED")
      throw badRequest("certificate_not_valid", { state: state.toLowerCase() });
    const addresses = publicApiBaseUrl(http, deps.config);
    const claims = openBadgeClaims(certificate, code, addresses);
    const token = await signCredential(deps.ownKeys, deps.config, addresses, claims);
    return http.body(token, 200, {
      "Content-Type": negotiateContentType(http, "application/vc+jwt", "text/plain"),
      Vary: "Accept",
    });
  },
);
