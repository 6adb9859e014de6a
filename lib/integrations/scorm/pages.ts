const sandbox =
  "allow-scripts allow-same-origin allow-forms allow-modals allow-popups allow-downloads allow-presentation";

/** Frames the package, which finds the standard's API in this window. */
export const playerPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>SCORM</title>
    <style>html, body, iframe { margin: 0; border: 0; width: 100%; height: 100%; display: block; overflow: hidden }</style>
    <script defer src="player.js"></script>
  </head>
  <body>
    <iframe id="package" title="SCORM" sandbox="${sandbox}" allow="autoplay; fullscreen; microphone; camera"></iframe>
  </body>
</html>
`;

export const scormPlayerCsp =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; frame-src 'self'; base-uri 'none'; form-action 'none'";

/**
 * For files of packages, on their own origin. Scripts run as authors wrote them, but reach only the package:
 * no other host, no other frame of the application.
 */
export const scormPackageCsp = [
  `sandbox ${sandbox}`,
  "default-src 'self' data: blob:",
  "script-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:",
  "style-src 'self' 'unsafe-inline' data: blob:",
  "frame-src 'self' data: blob:",
  "base-uri 'self'",
  "form-action 'self'",
].join("; ");

const mediaTypes: Record<string, string> = {
  ...{
    html: "text/html",
    htm: "text/html",
    xhtml: "application/xhtml+xml",
    xml: "text/xml",
    xsd: "text/xml",
  },
  ...{ css: "text/css", js: "text/javascript", mjs: "text/javascript", json: "application/json" },
  ...{ txt: "text/plain", vtt: "text/vtt", pdf: "application/pdf", wasm: "application/wasm" },
  ...{ png: "image/png", jpg: "image/jpeg", jpeg: "image/jpeg", gif: "image/gif", webp: "image/webp" },
  ...{ svg: "image/svg+xml", ico: "image/x-icon", bmp: "image/bmp", avif: "image/avif" },
  ...{ mp3: "audio/mpeg", m4a: "audio/mp4", wav: "audio/wav", oga: "audio/ogg", aac: "audio/aac" },
  ...{ mp4: "video/mp4", m4v: "video/mp4", webm: "video/webm", ogv: "video/ogg", ogg: "application/ogg" },
  ...{ woff: "font/woff", woff2: "font/woff2", ttf: "font/ttf", otf: "font/otf" },
};

/** By the file's extension. The page declares its encoding itself. */
export const packageMediaType = (path: string): string =>
  mediaTypes[/\.([a-z0-9]{1,5})$/i.exec(path)?.[1]?.toLowerCase() ?? ""] ?? "application/octet-stream";
