export type BuildStage = 'parts' | 'commands'
export function claimStages(pid: number, folder?: string): void
export function endStage(stage: BuildStage, folder?: string): void
export function stageEnded(stage: BuildStage, folder: string): Promise<boolean>
