import {
  type EncodedOmission,
  encodeOmission,
  encodeOmittedElement,
} from "../../platform/results/omission-codes.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { firstDistinctOmissions } from "./settings.ts";
import { childElements, deepElementText, descendants, type Element, elementAtPath } from "./xml.ts";

/** Titles and descriptions are read elsewhere. */
const understood = new Set(["schema", "schemaversion", "lom"]);

const setting = (name: string, value: string): EncodedOmission =>
  encodeOmission("left_out_setting", { setting: name, value: truncate(value, 100) });

/** Metadata of a resource or manifest that has no place here: curriculum standards, accessibility, audience, protection. */
export function omittedResourceMetadata(element: Element): EncodedOmission[] {
  const metadata = elementAtPath(element, "metadata");
  const lines = (metadata ? childElements(metadata) : []).flatMap((one) =>
    understood.has(one.name) ? [] : [lineOf(one)],
  );
  return firstDistinctOmissions([...lines, ...audienceOf(metadata), ...protectionOf(element)]);
}

function lineOf(metadata: Element): EncodedOmission {
  const standards = descendants(metadata).filter(({ name }) => name === "GUID");
  return standards.length > 0
    ? setting(metadata.name, standards.map(deepElementText).join(", "))
    : encodeOmittedElement(metadata.name);
}

/** Such as `Instructor`. Learners are the usual audience. */
function audienceOf(metadata: Element | undefined): EncodedOmission[] {
  const lom = elementAtPath(metadata, "lom");
  const roles = (lom ? childElements(lom, "educational") : [])
    .flatMap((one) => childElements(one, "intendedEndUserRole"))
    .map((role) => deepElementText(elementAtPath(role, "value")));
  return roles.flatMap((role) =>
    role === "" || /^learner$/i.test(role) ? [] : [setting("intendedEndUserRole", role)],
  );
}

/** A publisher's service would have to authorize the reader. */
function protectionOf(element: Element): EncodedOmission[] {
  const isProtected = Object.entries(element.attributes).some(
    ([name, value]) => /(^|:)protected$/.test(name) && /^(true|1)$/.test(value),
  );
  const isAuthorized = childElements(element, "authorizations").length > 0;
  return [
    ...(isProtected ? [setting("protected", "true")] : []),
    ...(isAuthorized ? [encodeOmittedElement("authorizations")] : []),
  ];
}
