/** The product's default name; `APP_NAME` overrides it. */
export const productName = "Ramavia";
