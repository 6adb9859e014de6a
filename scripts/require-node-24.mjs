// npm runs scripts on the Node 24 that `npm ci` installs. There is none for macOS, where one's own must do.
if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(
    `This needs Node 24 and runs on ${process.version}: install it, for instance with "nvm install".`,
  );
  process.exit(1);
}
