import type { JWTPayload } from "jose";
import { type ApiBaseUrl, certificateUrl, courseUrl, universityUrl } from "./certificate-urls.ts";
import { credentialStatusEntry } from "./status-list.ts";
import type { VerifiedCertificate } from "./verification.ts";

const contexts = [
  "https://www.w3.org/ns/credentials/v2",
  "https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json",
];

/** Open Badges 3.0 claims: what is printed. Only the printed name identifies the person. */
export function openBadgeClaims(
  { printed, refersTo }: VerifiedCertificate,
  code: string,
  addresses: ApiBaseUrl,
): JWTPayload {
  const { printed_name, course_title, university_name, completed_at, issued_at, expires_at } = printed;
  const id = certificateUrl(addresses, code, "credential");
  const issuer = {
    id: universityUrl(addresses, refersTo.university_id),
    type: ["Profile"],
    name: university_name,
  };
  return {
    "@context": contexts,
    id,
    type: ["VerifiableCredential", "OpenBadgeCredential"],
    name: course_title,
    issuer,
    validFrom: issued_at,
    awardedDate: issued_at,
    ...(expires_at && { validUntil: expires_at }),
    credentialSubject: {
      type: ["AchievementSubject"],
      identifier: [
        { type: "IdentityObject", hashed: false, identityHash: printed_name, identityType: "name" },
      ],
      ...(completed_at && { activityEndDate: completed_at }),
      achievement: {
        id: courseUrl(addresses, refersTo.course_id),
        type: ["Achievement"],
        achievementType: "CertificateOfCompletion",
        name: course_title,
        description: `Completion of ${course_title} at ${university_name}`,
        criteria: {
          narrative: "All required items of the course were completed, and graded ones were passed.",
        },
      },
    },
    credentialStatus: credentialStatusEntry(addresses, refersTo.certificate_id),
    iss: issuer.id,
    jti: id,
    nbf: secondsOf(issued_at),
    ...(expires_at && { exp: secondsOf(expires_at) }),
  };
}

const secondsOf = (moment: string): number => Math.floor(Date.parse(moment) / 1000);
