/** Sends a message over IPC. It is dropped if the supervisor ends before or during the write. */
export function sendToSupervisor(message: { type: string; text: string }): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}
