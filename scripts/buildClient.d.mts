export function browserBytes(): Promise<number>
export function buildClient(folder?: string): Promise<void>
