// npm runs scripts on the Node 24 that `npm ci` installs. macOS has no such package and needs its own.
if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(
    `This needs Node 24 and runs on ${process.version}: install it, for instance with "nvm install".`,
  );
  process.exit(1);
}
