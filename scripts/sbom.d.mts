export function createSbom(): string
