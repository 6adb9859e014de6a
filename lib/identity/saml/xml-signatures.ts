/* The one importer of XML signatures and their DOM. */

export { DOMParser } from "@xmldom/xmldom";
export { findAncestorNs, type SignatureAlgorithmType, SignedXml, toPem } from "xml-crypto";
