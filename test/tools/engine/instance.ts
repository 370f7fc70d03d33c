import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { InstanceSettings } from 'n8n-core';
import { LoggerProxy, type Logger as LoggerShape } from 'n8n-workflow';

/** One line that n8n or a node wrote to n8n's log, at any level, with all its metadata. */
export interface LogLine {
	level: 'debug' | 'error' | 'info' | 'warn';
	message: string;
	metadata?: unknown;
}

/** Every line logged in this process, oldest first; nothing reaches the console. */
export const logLines: LogLine[] = [];

const record = (level: LogLine['level']) => (message: string, metadata?: unknown) => {
	logLines.push({ level, message, metadata });
};

const recorder: LoggerShape & { scoped: () => LoggerShape } = {
	debug: record('debug'),
	error: record('error'),
	info: record('info'),
	warn: record('warn'),
	scoped: () => recorder,
};

/**
 * What n8n does at its start, once per process: its log, its settings and its encryption key.
 * n8n reads and writes its user folder only now, so a temporary one is made and removed at once.
 * Without a binary data manager n8n keeps files in memory, as base64 in the item.
 */
Container.set(Logger, recorder as unknown as Logger);
LoggerProxy.init(recorder);
const userFolder = mkdtempSync(join(tmpdir(), 'n8n-engine-'));
process.env.N8N_USER_FOLDER = userFolder;
process.env.N8N_ENCRYPTION_KEY = 'a-key-for-tests-only';
try {
	Container.get(InstanceSettings);
} finally {
	rmSync(userFolder, { recursive: true });
}
