/**
 * What runs while this version takes its place, and has to find what it calls: the code of that commit, on the database
 * as its migrations left it. It is set anew when a version is handed over to those who run it.
 */
export const lastRelease = { commit: "b0511dd836b97e879726b76335b8663d053bd981", migrations: 55 };
