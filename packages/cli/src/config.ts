/** The only reader of process.env in these commands. */
export const environment = (): Record<string, string | undefined> => process.env
