// A form made from the parameters of a template: groups, constraints, hidden values.
import { useEffect, useState } from 'preact/hooks';
import { type Api, isPassing, type ParameterSchema, RETRY, type Validation } from './api';
import { oneWay, plain } from './widgets';

/** The values that were typed, by the names of parameters; others keep their default. */
export type FormState = Record<string, string>;

/** Return the values to send: an empty field is a value of a text or a list, and else the default. */
export function valuesOf(validation: Validation | null, state: FormState): Record<string, unknown> {
  const known = validation?.Parameters ?? {};
  const mayBeEmpty = ({ Type, NoEcho }: ParameterSchema) => ['String', 'CommaDelimitedList'].includes(Type) && NoEcho !== 'true';
  return Object.fromEntries(Object.entries(state).filter(([name, value]) => name in known && (value || mayBeEmpty(known[name]))));
}

interface Choice { id: string; name: string | null }

/** The objects of the cloud that custom constraints allow; none where the service cannot list them. */
function useChoices(api: Api, validation: Validation | null): Record<string, Choice[]> {
  const [choices, setChoices] = useState<Record<string, Choice[]>>({});
  const wanted = [...new Set(Object.values(validation?.Parameters ?? {}).flatMap((each) => each.CustomConstraint ?? []))];
  useEffect(() => {
    for (const each of wanted.filter((name) => !(name in choices))) {
      setChoices((old) => ({ ...old, [each]: [] }));
      const read = () => void api.get<{ choices: Choice[] }>(`validate/choices/${encodeURIComponent(each)}`)
        .then((found) => setChoices((old) => ({ ...old, [each]: found.choices }))).catch((error) => { if (isPassing(error)) setTimeout(read, RETRY); });
      read();
    }
  }, [wanted.join()]);
  return choices;
}

export function ParameterForm({ api, validation, state, stored, change }: {
  api: Api; validation: Validation | null; state: FormState; stored?: Record<string, string>; change: (state: FormState) => void;
}) {
  const parameters = validation?.Parameters ?? {};
  const groups = validation?.ParameterGroups ?? [];
  const grouped = new Set(groups.flatMap((group) => group.parameters));
  const choices = useChoices(api, validation);
  const others = Object.keys(parameters).filter((name) => !grouped.has(name));
  const field = (name: string) => parameters[name] && (
    <Field key={name} name={name} schema={parameters[name]} value={state[name]} stored={stored?.[name]} choices={choices[parameters[name].CustomConstraint ?? '']} change={(value) => change({ ...state, [name]: value })} />
  );
  if (!Object.keys(parameters).length) return validation ? <p class="dim">The template has no parameters.</p> : null;
  return (
    <>
      {groups.map((group) => <fieldset><legend>{plain(group.label ?? 'Parameters')}</legend>{group.description && <p class="dim">{oneWay(group.description)}</p>}{group.parameters.map(field)}</fieldset>)}
      {others.length > 0 && <fieldset><legend>{groups.length ? 'Other parameters' : 'Parameters'}</legend>{others.map(field)}</fieldset>}
    </>
  );
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function rulesOf(schema: ParameterSchema): string {
  const rules: string[] = [];
  if (schema.MinValue !== undefined || schema.MaxValue !== undefined) rules.push(`from ${schema.MinValue ?? 'any'} to ${schema.MaxValue ?? 'any'}`);
  if (schema.MinLength !== undefined || schema.MaxLength !== undefined) rules.push(`${schema.MinLength ?? 0} to ${schema.MaxLength ?? 'any number of'} characters`);
  if (schema.AllowedPattern) rules.push(`matching ${schema.AllowedPattern}`);
  if (schema.CustomConstraint) rules.push(`the name or id of a ${schema.CustomConstraint.split('.').reverse().join(' of ')}`);
  return schema.ConstraintDescription || rules.join(', ');
}

function isUnique(choices: Choice[], name: string | null): boolean {
  return !!name && choices.filter((each) => each.name === name).length === 1;
}

function Field({ name, schema, value, stored, choices, change }: { name: string; schema: ParameterSchema; value: string | undefined; stored?: string; choices?: Choice[]; change: (value: string) => void }) {
  const hidden = schema.NoEcho === 'true';
  const initial = hidden ? '' : stored ?? asText(schema.Default);
  const shown = value ?? initial;
  const required = schema.Default === undefined && stored === undefined;
  const rules = rulesOf(schema);
  const help = [schema.Description, rules].filter(Boolean).join(' – ');
  const id = `parameter-${name}`;
  const common = { id, name, required, 'aria-describedby': help ? `${id}-help` : undefined };
  const take = (event: { currentTarget: { value: string } }) => change(event.currentTarget.value);
  // a value that is hidden and not typed again stays as it is: no choice stands for it
  const none = (required || hidden) && <option value="">{required ? 'Choose…' : 'unchanged'}</option>;
  let input;
  if (schema.AllowedValues) input = <select {...common} value={shown} onChange={take}>{none}{schema.AllowedValues.map((each) => <option>{asText(each)}</option>)}</select>;
  else if (schema.Type === 'Boolean') input = <select {...common} value={shown.toLowerCase()} onChange={take}>{none}<option>true</option><option>false</option></select>;
  else if (hidden) input = <input {...common} type="password" autocomplete="off" minLength={schema.MinLength} maxLength={schema.MaxLength} placeholder={required ? '' : 'unchanged'} value={shown} onInput={take} />;
  else if (schema.Type === 'Number') input = <input {...common} type="number" step="any" min={schema.MinValue} max={schema.MaxValue} value={shown} onInput={take} />;
  else if (schema.Type === 'Json' || schema.Type === 'CommaDelimitedList') input = <textarea {...common} rows={2} spellcheck={false} value={shown} onInput={take} />;
  else input = <input {...common} type="text" autocomplete="off" spellcheck={false} list={choices?.length ? `${id}-choices` : undefined} minLength={schema.MinLength} maxLength={schema.MaxLength} value={shown} onInput={take} />;
  return (
    <div class="field">
      <label for={id}>{schema.Label && schema.Label !== name ? <>{plain(schema.Label)} <code>{plain(name)}</code></> : plain(name)}{required && <span class="flag">required</span>}</label>
      {input}
      {choices?.length ? <datalist id={`${id}-choices`}>{choices.map((each) => <option value={isUnique(choices, each.name) ? each.name! : each.id}>{each.name ? each.id : ''}</option>)}</datalist> : null}
      {help && <p class="help" id={`${id}-help`}>{oneWay(help)}</p>}
    </div>
  );
}
