export function cachedTypes(
  routes: () => Promise<{ ROUTES: object; schemas: object }>,
): Promise<{ types: string; report: string; reference: string }>
