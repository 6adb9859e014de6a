/** `APP_NAME` overrides it. */
export const productName = "Ramavia";
