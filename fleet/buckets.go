package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/snaphook-go/snaphook/state"
)

// The names of the buckets and of the stream.
const (
	PolicyBucket = "snaphook-policy"  // an object store of policies, and a KV bucket with the last revision
	HostsBucket  = "snaphook-hosts"   // the revision that each host runs
	StateBucket  = "snaphook-state"   // the state of hooks
	RecordStream = "SNAPHOOK_RECORDS" // the records

	policyObject = "policy"
	revisionKey  = "revision"
	hostTTL      = 10 * time.Minute // after this time without a status a process counts as ended
)

// Retention limits the age and the size of the records that the server keeps.
type Retention struct {
	Age   time.Duration // 0 means 30 days
	Bytes int64         // 0 means 8 GiB
}

// Prepare creates the buckets and the stream that agents and workers use, unless they exist. It needs the
// rights of an administrator, which agents and workers do not have.
func Prepare(ctx context.Context, nc *nats.Conn, replicas int, keep Retention) error {
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	if keep.Age == 0 {
		keep.Age = 30 * 24 * time.Hour
	}
	if keep.Bytes == 0 {
		keep.Bytes = 8 << 30
	}
	err = unlessThere(ctx, js, "OBJ_"+PolicyBucket, func() error {
		_, err := js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{
			Bucket: PolicyBucket, Description: "the policy of the fleet", MaxBytes: 8 * maxPacked, Replicas: replicas,
		})
		return err
	})
	if err == nil {
		err = makeKeys(ctx, js, jetstream.KeyValueConfig{Bucket: PolicyBucket, History: 64, Replicas: replicas})
	}
	if err == nil {
		err = makeKeys(ctx, js, jetstream.KeyValueConfig{Bucket: HostsBucket, TTL: hostTTL, Replicas: replicas})
	}
	if err == nil {
		err = makeKeys(ctx, js, jetstream.KeyValueConfig{
			Bucket: StateBucket, TTL: state.Stale, MaxBytes: 1 << 30, Replicas: replicas,
		})
	}
	if err == nil {
		err = unlessThere(ctx, js, RecordStream, func() error {
			_, err := js.CreateStream(ctx, jetstream.StreamConfig{
				Name: RecordStream, Subjects: []string{logPrefix + ".>"}, MaxAge: keep.Age, MaxBytes: keep.Bytes,
				Duplicates: 2 * time.Minute, Replicas: replicas, DenyDelete: true, DenyPurge: true,
			})
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("the buckets of the fleet: %w; the server needs JetStream with a max_file_store of 10 GB, "+
			"and the user the right to make streams", err)
	}
	return nil
}

func makeKeys(ctx context.Context, js jetstream.JetStream, cfg jetstream.KeyValueConfig) error {
	return unlessThere(ctx, js, "KV_"+cfg.Bucket, func() error {
		_, err := js.CreateKeyValue(ctx, cfg)
		return err
	})
}

// unlessThere calls create if there is no stream of the name. If an existing stream is created again, the server counts
// the stream's space twice, and may refuse the call.
func unlessThere(ctx context.Context, js jetstream.JetStream, stream string, create func() error) error {
	_, err := js.Stream(ctx, stream)
	if !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	if err = create(); errors.Is(err, jetstream.ErrBucketExists) || errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return nil // another process was faster
	}
	return err
}
