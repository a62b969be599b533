export function clientBytes(options: { withViem: boolean }): Promise<number>
export function packClient(folder: string): Promise<void>
